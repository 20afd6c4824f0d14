#!/bin/sh
# Makes the certificates of this folder anew, valid for a hundred years.
set -eu
cd "$(dirname "$0")"
rm -f ./*.pem ./*.key
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ec="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

authority() { # name, subject
  openssl req -x509 $ec -days 36500 -subj "/CN=$2" -keyout "$work/$1.key" -out "$1.pem"
}
signed() { # name, subject, alternative names, usage, more
  openssl req $ec -subj "/CN=$2" -keyout "$1.key" -out "$work/$1.csr"
  printf 'subjectAltName=%s\nextendedKeyUsage=%s\nbasicConstraints=CA:FALSE\n' "$3" "$4" > "$work/$1.ext"
  openssl x509 -req -in "$work/$1.csr" -CA ca.pem -CAkey "$work/ca.key" -set_serial "0x$(openssl rand -hex 8)" \
    -extfile "$work/$1.ext" -out "$1.pem" -days 36500
}
expired() { # name, subject, alternative names: only `openssl ca` takes a time in the past
  openssl req $ec -subj "/CN=$2" -keyout "$1.key" -out "$work/$1.csr"
  : > "$work/index"
  cat > "$work/ca.conf" <<CONF
[ca]
default_ca = one
[one]
database = $work/index
rand_serial = yes
new_certs_dir = $work
default_md = sha256
policy = any
x509_extensions = extensions
[any]
commonName = supplied
[extensions]
subjectAltName = $3
CONF
  openssl ca -batch -notext -config "$work/ca.conf" -cert ca.pem -keyfile "$work/ca.key" -in "$work/$1.csr" \
    -startdate 20200101000000Z -enddate 20200102000000Z -out "$1.pem"
}

authority ca "mqb test authority"
authority other-ca "another test authority"
signed server localhost "DNS:localhost,IP:127.0.0.1,IP:::1" serverAuth
signed other-name elsewhere.example "DNS:elsewhere.example" serverAuth
expired expired localhost "DNS:localhost,IP:127.0.0.1,IP:::1"
signed client "mqb test client" "DNS:client.example" clientAuth
openssl pkcs8 -topk8 -in client.key -out client-encrypted.key -passout pass:test-password
chmod 644 ./*.key
