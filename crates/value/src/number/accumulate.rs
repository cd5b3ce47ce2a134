//! Sums and products of many numbers.
//!
//! Both are exact as long as every number is an integer. With the first other
//! number the whole becomes the float that was accumulated beside, in the same
//! order and from the start; a product is kept at 53 bits, as the peer does.
//! As long as the running integer is small it is that float, too. This file
//! must not know where the numbers come from.

use num_bigint::BigInt;

use super::soft_float::PRODUCT_BITS;
use super::{INTEGER_BITS_MAX, Number, NumberError, NumberErrorKind, SoftFloat};

/// What was accumulated so far.
#[derive(Debug, Clone)]
enum Running {
    /// An integer that is its own float.
    Small(i64),
    /// An integer (`None` after a number that was none) and the float.
    Wide(Option<BigInt>, SoftFloat),
}

/// A running sum. After an error it is of no use.
#[derive(Debug, Clone, Default)]
pub struct Sum(Running);

impl Sum {
    /// Adds a number.
    ///
    /// # Errors
    /// The sum or the number is beyond the size limit.
    #[inline]
    pub fn push(&mut self, number: &Number) -> Result<(), NumberError> {
        if let (Running::Small(sum), Number::Int(value)) = (&mut self.0, number)
            && let Some(next) = sum.checked_add(*value)
        {
            *sum = next;
            return Ok(());
        }
        self.push_wide(number)
    }

    #[cold]
    fn push_wide(&mut self, number: &Number) -> Result<(), NumberError> {
        let (exact, float) = std::mem::take(&mut self.0).widened();
        let exact = match (exact, number.to_big_int()) {
            (Some(sum), Some(value)) => Some(sum + value),
            _ => None,
        };
        let float = float.add(number.to_soft_float()?);
        self.0 = Running::checked(exact, float)?;
        Ok(())
    }

    /// Returns the sum.
    ///
    /// # Errors
    /// The sum is beyond the size limit.
    pub fn finish(self) -> Result<Number, NumberError> {
        match self.0 {
            Running::Small(sum) => Ok(Number::Int(sum)),
            Running::Wide(Some(sum), _) => Number::from_big(sum),
            Running::Wide(None, float) => Number::from_soft_float(float),
        }
    }
}

/// A running product. After an error it is of no use.
#[derive(Debug, Clone)]
pub struct Product(Running);

impl Default for Product {
    fn default() -> Self {
        Self(Running::Small(1))
    }
}

impl Product {
    /// Multiplies by a number.
    ///
    /// # Errors
    /// The product or the number is beyond the size limit.
    #[inline]
    pub fn push(&mut self, number: &Number) -> Result<(), NumberError> {
        // A zero product has a sign as a float, so it is not kept as an integer.
        const SMALL_MAX: u64 = 1 << PRODUCT_BITS;
        if let (Running::Small(product), Number::Int(value)) = (&mut self.0, number)
            && let Some(next) = product.checked_mul(*value)
            && next != 0
            && next.unsigned_abs() <= SMALL_MAX
        {
            *product = next;
            return Ok(());
        }
        self.push_wide(number)
    }

    #[cold]
    fn push_wide(&mut self, number: &Number) -> Result<(), NumberError> {
        let (exact, float) = std::mem::take(&mut self.0).widened();
        let exact = match (exact, number.to_big_int()) {
            (Some(product), Some(value)) => {
                if product.bits() + value.bits() > INTEGER_BITS_MAX {
                    return Err(NumberErrorKind::TooLarge.into());
                }
                Some(product * value)
            }
            _ => None,
        };
        let float = float.mul_rounded(number.to_soft_float()?, PRODUCT_BITS);
        self.0 = Running::checked(exact, float)?;
        Ok(())
    }

    /// Returns the product.
    ///
    /// # Errors
    /// The product is beyond the size limit.
    pub fn finish(self) -> Result<Number, NumberError> {
        match self.0 {
            Running::Small(product) => Ok(Number::Int(product)),
            Running::Wide(Some(product), _) => Number::from_big(product),
            Running::Wide(None, float) => Number::from_rounded(float, PRODUCT_BITS),
        }
    }
}

impl Default for Running {
    fn default() -> Self {
        Self::Small(0)
    }
}

impl Running {
    fn widened(self) -> (Option<BigInt>, SoftFloat) {
        match self {
            Self::Small(value) => (Some(BigInt::from(value)), SoftFloat::from_i64(value)),
            Self::Wide(exact, float) => (exact, float),
        }
    }

    fn checked(exact: Option<BigInt>, float: SoftFloat) -> Result<Self, NumberError> {
        if super::is_out_of_range(&float) {
            return Err(NumberErrorKind::TooLarge.into());
        }
        Ok(Self::Wide(exact, float))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(texts: &[&str]) -> String {
        let mut sum = Sum::default();
        for text in texts {
            let number = Number::parse(text).expect("the cases are numbers");
            sum.push(&number).expect("the cases are small");
        }
        sum.finish().expect("the cases are small").to_text()
    }

    fn product(texts: &[&str]) -> String {
        let mut product = Product::default();
        for text in texts {
            let number = Number::parse(text).expect("the cases are numbers");
            product.push(&number).expect("the cases are small");
        }
        product.finish().expect("the cases are small").to_text()
    }

    #[test]
    fn sums_are_exact_until_a_fraction() {
        assert_eq!(sum(&[]), "0");
        assert_eq!(sum(&["1", "2.0", "3e0"]), "6");
        assert_eq!(sum(&["9223372036854775807", "1"]), "9223372036854775808");
        assert_eq!(sum(&["0.1", "0.2"]), "0.3");
        assert_eq!(sum(&["36893488147419103233", "-36893488147419103232"]), "1");
        // The float beside lost the last bit before the fraction came.
        assert_eq!(sum(&["36893488147419103233", "-36893488147419103232", "0.5"]), "0.5");
    }

    #[test]
    fn products_with_a_fraction_have_machine_precision() {
        assert_eq!(product(&[]), "1");
        assert_eq!(product(&["0.1", "0.2", "0.3"]), "0.006");
        assert_eq!(product(&["0", "-5"]), "0");
        assert_eq!(product(&["0", "-5", "1.5"]), "-0");
        assert_eq!(product(&["4294967296", "4294967296", "2"]), "36893488147419103232");
    }
}
