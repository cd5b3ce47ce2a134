//! P-224 by plain arithmetic, because no back end has it and certificates may.
//!
//! It verifies and derives public keys, slowly and not in constant time; nothing ever signs with it.

use num_bigint::BigUint;

use super::{Curve, number};

const CURVE: Curve = Curve::P224;

/// A point as `(X / Z², Y / Z³)`; none at infinity.
struct Jacobian {
    x: BigUint,
    y: BigUint,
    z: BigUint,
}

/// The base point.
pub(super) fn generator() -> (BigUint, BigUint) {
    (
        number("b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21"),
        number("bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34"),
    )
}

/// Returns the public point of a scalar, uncompressed.
pub(crate) fn public(scalar: &BigUint) -> Option<Vec<u8>> {
    let p = CURVE.prime();
    let (x, y) = affine(&multiply(&generator(), scalar, &p)?, &p);
    CURVE.point(&x, &y)
}

/// Verifies a signature of two numbers over a digest that was fitted to the curve.
pub(crate) fn verify(key: &(BigUint, BigUint), digest: &[u8], r: &BigUint, s: &BigUint) -> bool {
    let (p, n) = (CURVE.prime(), CURVE.order());
    if *r == BigUint::ZERO || *s == BigUint::ZERO || *r >= n || *s >= n {
        return false;
    }
    // The order is prime, so this is the inverse.
    let inverse = s.modpow(&(&n - 2_u8), &n);
    let u = BigUint::from_bytes_be(digest) * &inverse % &n;
    let v = r * &inverse % &n;
    let sum = match (multiply(&generator(), &u, &p), multiply(key, &v, &p)) {
        (Some(a), Some(b)) => add(&a, &b, &p),
        (a, b) => a.or(b),
    };
    sum.is_some_and(|it| affine(&it, &p).0 % &n == *r)
}

fn multiply((x, y): &(BigUint, BigUint), scalar: &BigUint, p: &BigUint) -> Option<Jacobian> {
    let base = Jacobian { x: x.clone(), y: y.clone(), z: BigUint::from(1_u8) };
    let mut sum: Option<Jacobian> = None;
    for bit in (0..scalar.bits()).rev() {
        sum = sum.and_then(|it| double(&it, p));
        if scalar.bit(bit) {
            sum = match sum {
                None => Some(Jacobian { x: x.clone(), y: y.clone(), z: BigUint::from(1_u8) }),
                Some(it) => add(&it, &base, p),
            };
        }
    }
    sum
}

fn sub(a: &BigUint, b: &BigUint, p: &BigUint) -> BigUint {
    (a + p - b % p) % p
}

fn double(point: &Jacobian, p: &BigUint) -> Option<Jacobian> {
    if point.y == BigUint::ZERO {
        return None;
    }
    let zz = &point.z * &point.z % p;
    let yy = &point.y * &point.y % p;
    let s = &point.x * &yy * 4_u8 % p;
    // a = -3 turns 3 X² + a Z⁴ into this product.
    let m = sub(&point.x, &zz, p) * (&point.x + &zz) * 3_u8 % p;
    let x = sub(&(&m * &m % p), &(&s * 2_u8), p);
    let y = sub(&(&m * sub(&s, &x, p) % p), &(&yy * &yy * 8_u8), p);
    let z = &point.y * &point.z * 2_u8 % p;
    Some(Jacobian { x, y, z })
}

fn add(a: &Jacobian, b: &Jacobian, p: &BigUint) -> Option<Jacobian> {
    let (za, zb) = (&a.z * &a.z % p, &b.z * &b.z % p);
    let (ua, ub) = (&a.x * &zb % p, &b.x * &za % p);
    let (sa, sb) = (&a.y * &b.z * &zb % p, &b.y * &a.z * &za % p);
    if ua == ub {
        return if sa == sb { double(a, p) } else { None };
    }
    let h = sub(&ub, &ua, p);
    let r = sub(&sb, &sa, p);
    let hh = &h * &h % p;
    let hhh = &h * &hh % p;
    let v = &ua * &hh % p;
    let x = sub(&(&r * &r % p), &(&hhh + &v * 2_u8), p);
    let y = sub(&(&r * sub(&v, &x, p) % p), &(&sa * &hhh), p);
    let z = &a.z * &b.z * &h % p;
    Some(Jacobian { x, y, z })
}

fn affine(point: &Jacobian, p: &BigUint) -> (BigUint, BigUint) {
    let inverse = point.z.modpow(&(p - 2_u8), p);
    let square = &inverse * &inverse % p;
    (&point.x * &square % p, &point.y * &square * &inverse % p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_times_the_base_is_infinity() {
        let (p, n) = (CURVE.prime(), CURVE.order());
        assert!(multiply(&generator(), &n, &p).is_none());
        let last = multiply(&generator(), &(n - 1_u8), &p).expect("a point");
        assert_eq!(affine(&last, &p).0, generator().0);
    }
}
