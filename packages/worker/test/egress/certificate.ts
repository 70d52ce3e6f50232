/**
 * A self-signed certificate for hooks.example, for tests alone: nothing trusts it, so that its key is no secret. Made by
 * `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=hooks.example
 * -addext subjectAltName=DNS:hooks.example`.
 */
export const certificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdA1ZfgbgY79ls5R5
D/KUh5KYtgLuFYgeztYIQU5AhcihRANCAAQc0WQjt98g30k7bCITbwclh/V63wsW
J/Yt9vKap8j9VUKhZibEAx1XJ/gwn0ex1bpPBK/e+nix0GoPwNBD9aZs
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIULvt+sNldHOsiOmq3czHG9W7iKLcwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNaG9va3MuZXhhbXBsZTAgFw0yNjExMjExMDUzMzBaGA8yMTI2
MTAyODEwNTMzMFowGDEWMBQGA1UEAwwNaG9va3MuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABBzRZCO33yDfSTtsIhNvByWH9XrfCxYn9i328pqnyP1V
QqFmJsQDHVcn+DCfR7HVuk8Er976eLHQag/A0EP1pmyjbTBrMB0GA1UdDgQWBBQf
H+dkpfau2wxaqhpy7vreCPdPNTAfBgNVHSMEGDAWgBQfH+dkpfau2wxaqhpy7vre
CPdPNTAPBgNVHRMBAf8EBTADAQH/MBgGA1UdEQQRMA+CDWhvb2tzLmV4YW1wbGUw
CgYIKoZIzj0EAwIDSAAwRQIhAOYrWEv2t5jtQ+0wCut6DR0HZn7T+Ijb8Ae6/fiB
SR0oAiBEbUmTAD7xK9Z/asZIviAwL+oGT6k2hq1MlpB9MR5itg==
-----END CERTIFICATE-----
`
}
