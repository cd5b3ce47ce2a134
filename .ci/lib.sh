# Shared by ./start, ./test, ./long and .ci/run: says things, and installs what is missing and no more.
# Sourced with the root of the repository as the current folder.

say() { printf '%s\n' "$*"; }
die() { printf '%s\n' "$*" >&2; exit 1; }

# need_packages COMMAND:PACKAGE ... installs the packages whose command is absent.
need_packages() {
  local missing=() pair
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing+=("${pair#*:}")
  done
  # Certificates have no command of their own; curl without them cannot fetch the toolchain.
  [ -e /etc/ssl/certs/ca-certificates.crt ] || [ -e /etc/pki/tls/certs/ca-bundle.crt ] || missing+=(ca-certificates)
  [ ${#missing[@]} -eq 0 ] && return 0
  local line="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  command -v apt-get >/dev/null 2>&1 || die "missing: ${missing[*]}; install these, then run this again"
  if [ "$(id -u)" -eq 0 ]; then
    say "installing ${missing[*]}"
    apt_install "" "${missing[@]}"
  elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    say "installing ${missing[*]} with sudo"
    apt_install sudo "${missing[@]}"
  else
    die "missing: ${missing[*]}; as root, run: $line"
  fi
}

apt_install() {
  local sudo=$1; shift
  $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null || die "apt-get could not install: $*"
}

# need_toolchain puts the toolchain that rust-toolchain.toml pins on the path, by rustup.
need_toolchain() {
  local channel
  channel=$(sed -n 's/^channel *= *"\(.*\)"/\1/p' rust-toolchain.toml)
  [ -d "${CARGO_HOME:-$HOME/.cargo}/bin" ] && PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  if ! command -v rustup >/dev/null 2>&1; then
    say "installing rustup"
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs \
      | sh -s -- -y -q --no-modify-path --profile minimal --default-toolchain none >/dev/null \
      || die "rustup could not be installed; see https://rustup.rs"
    PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  fi
  export PATH
  local want missing=()
  rustup toolchain list | grep -q "^$channel-" || missing+=(rustc)
  if [ ${#missing[@]} -eq 0 ]; then
    for want in clippy rustfmt; do
      rustup component list --toolchain "$channel" --installed 2>/dev/null | grep -q "^$want" || missing+=("$want")
    done
  fi
  if [ ${#missing[@]} -gt 0 ]; then
    say "installing Rust $channel"
    rustup toolchain install "$channel" --profile minimal --component clippy --component rustfmt >/dev/null \
      || die "rustup could not install Rust $channel"
  fi
}

# need_build installs what a build needs: a linker with the C library's headers, and the toolchain.
need_build() {
  need_packages cc:gcc ld:binutils curl:curl git:git "$@"
  [ -e /usr/include/stdio.h ] || need_packages no-such-command:libc6-dev
  need_toolchain
}

# target_folder prints where cargo puts what it builds.
target_folder() {
  cargo metadata --no-deps --offline --format-version 1 2>/dev/null \
    | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}

# shared_folder prints the folder of shared cases, or nothing: LICTOR_SHARED, else ../shared.
shared_folder() {
  local folder=${LICTOR_SHARED:-../shared}
  [ -d "$folder/conformance" ] && (cd "$folder" && pwd)
}
