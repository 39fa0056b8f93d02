"""Certificates for loopback, made on the spot."""

import datetime
import ipaddress
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

__all__ = ["Authority"]


class Authority:
    """Makes certificates for loopback."""

    def __init__(self, folder: Path, name: str = "ca") -> None:
        self._folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"test {name}")])
        made = self._build(self.name, self.key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(_pem(made.sign(self.key, hashes.SHA256())))

    def issue(self, name: str) -> tuple[Path, Path]:
        """Write a certificate and its key, and return both files."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        made = self._build(subject, key.public_key()).add_extension(
            x509.SubjectAlternativeName([address]), critical=False
        )
        certificate_file, key_file = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        key_file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        certificate_file.write_bytes(_pem(made.sign(self.key, hashes.SHA256())))
        return certificate_file, key_file

    def _build(self, subject: x509.Name, key: Any) -> x509.CertificateBuilder:
        day = datetime.timedelta(days=1)
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - day)
            .not_valid_after(now + day)
        )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
