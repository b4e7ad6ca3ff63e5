import Basics
import BasicsLinux
import COpenSSL
import Glibc
package import SharedWorld

/// The key and the certificate with which the page is served over HTTPS.
///
/// No authority knows the machines of a LAN, so the certificate is signed by its own key: a browser warns of it once, and people
/// compare its fingerprint. Browsers take no Ed25519, so the key of the peer cannot serve.
package struct PageCertificate: Sendable {
  /// Both as PEM (RFC 7468).
  let pem: String
  /// The SHA-256 of the certificate as browsers write it: pairs of digits with colons between them.
  package let fingerprint: String

  /// The file in the folder of the peer's key.
  private static let file = "page.pem"
  /// Browsers accept none that is valid for longer than 398 days.
  private static let days = 397
  /// The time before the end at which another one is made (days).
  private static let reserve = 30
  private static let day = 24 * 60 * 60

  /// The certificate in a folder; another one for the same key, if it ends soon or lacks a name or an address of this machine.
  ///
  /// - Parameters:
  ///   - folder: Where the key is kept, for this user alone; made if there is none.
  ///   - names: The names of this machine.
  ///   - addresses: Its addresses.
  /// - Throws: ``SessionError`` when the folder or its file cannot be used.
  package init(
    keptIn folder: String, names: [String] = PageCertificate.names,
    addresses: [SocketAddress.Host] = PageCertificate.addresses
  ) throws(SessionError) {
    defer { ERR_clear_error() }
    let folder = try PrivateFolder(path: folder)
    let lock = try folder.lock()
    let kept = try folder.read(Self.file)
    let keptKey = kept.flatMap { Self.read($0) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) } }
    let key = keptKey ?? sw_p256_key()
    defer { EVP_PKEY_free(key) }
    var certificate = kept.flatMap { Self.read($0) { PEM_read_bio_X509($0, nil, nil, nil) } }
    defer { X509_free(certificate) }
    if Self.isCurrent(certificate, for: key, names, addresses) {
      pem = String(decoding: kept ?? [], as: UTF8.self)
    } else {
      X509_free(certificate)
      certificate = Self.signed(by: key, names, addresses)
      guard let text = Self.text(key, certificate) else {
        throw SessionError(.io, "no certificate could be made for the page")
      }
      try folder.write(text, to: Self.file)
      pem = String(decoding: text, as: UTF8.self)
    }
    fingerprint = Self.fingerprint(of: certificate)
    lock.release()
  }

  /// The names under which others reach this machine.
  package static var names: [String] { HTTPAccess.names(of: HTTPAccess.machine.lowercased()) }

  /// The addresses under which others reach this machine; one that is link-local needs a scope, which no browser takes.
  package static var addresses: [SocketAddress.Host] {
    InterfaceAddress.all().filter { $0.flags.contains(.up) }.map(\.host).filter { !$0.isLinkLocal }
  }

  private static func isCurrent(
    _ certificate: OpaquePointer?, for key: OpaquePointer?, _ names: [String], _ addresses: [SocketAddress.Host]
  ) -> Bool {
    guard let certificate, let key, X509_check_private_key(certificate, key) == 1 else { return false }
    var soon = time(nil) + reserve * day
    return X509_cmp_time(X509_get0_notAfter(certificate), &soon) > 0
      && names.allSatisfy { X509_check_host(certificate, $0, $0.utf8.count, 0, nil) == 1 }
      && addresses.allSatisfy { X509_check_ip_asc(certificate, "\($0)", 0) == 1 }
  }

  /// A certificate for a key; nil when there is none.
  private static func signed(
    by key: OpaquePointer?, _ names: [String], _ addresses: [SocketAddress.Host]
  ) -> OpaquePointer? {
    guard let key, let certificate = X509_new() else { return nil }
    let subject = X509_get_subject_name(certificate)
    let alternatives = names.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }
    // A browser does not accept two with one number. An hour and more for clocks that are behind.
    let isMade =
      X509_set_version(certificate, 2) == 1
      && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64.max / 2)) == 1
      && X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != nil
      && X509_gmtime_adj(X509_getm_notAfter(certificate), (days - 1) * day) != nil
      && sw_name_add(subject, "CN", "worldview on this network") == 1
      && X509_set_issuer_name(certificate, subject) == 1
      && X509_set_pubkey(certificate, key) == 1
      && sw_certificate_extend(certificate, NID_basic_constraints, "critical,CA:FALSE") == 1
      && sw_certificate_extend(certificate, NID_key_usage, "critical,digitalSignature") == 1
      && sw_certificate_extend(certificate, NID_ext_key_usage, "serverAuth") == 1
      && sw_certificate_extend(certificate, NID_subject_alt_name, alternatives.joined(separator: ",")) == 1
      && X509_sign(certificate, key, EVP_sha256()) > 0
    if isMade { return certificate }
    X509_free(certificate)
    return nil
  }

  /// Both as PEM; nil when there is no certificate.
  private static func text(_ key: OpaquePointer?, _ certificate: OpaquePointer?) -> [UInt8]? {
    guard let key, let certificate, let bio = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(bio) }
    guard PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1,
      PEM_write_bio_X509(bio, certificate) == 1
    else { return nil }
    var text = [UInt8](repeating: 0, count: BIO_ctrl_pending(bio))
    return BIO_read(bio, &text, Int32(text.count)) == text.count ? text : nil
  }

  private static func read(_ text: [UInt8], _ parse: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
    text.withUnsafeBytes { bytes in
      guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
      defer { BIO_free(bio) }
      return parse(bio)
    }
  }

  private static func fingerprint(of certificate: OpaquePointer?) -> String {
    var (digest, count) = ([UInt8](repeating: 0, count: 32), UInt32(32))
    X509_digest(certificate, EVP_sha256(), &digest, &count)
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
  }
}
