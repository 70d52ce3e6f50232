// oxlint-disable-next-line no-unassigned-import -- the library of certificates needs it to be there first
import "reflect-metadata"
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator
} from "@peculiar/x509"
import type { TlsFiles } from "@bursar/signer"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

const day = 86_400_000

const newKeys = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])

const pemOfKey = async ({ privateKey }: CryptoKeyPair): Promise<string> => {
  const der = Buffer.from(await crypto.subtle.exportKey("pkcs8", privateKey))
  return `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`
}

/** Who issues certificates. */
export interface Authority {
  readonly certificate: X509Certificate
  readonly keys: CryptoKeyPair
}

/** A certificate authority that nobody else knows. */
export const newAuthority = (name: string): Effect.Effect<Authority> =>
  Effect.promise(async () => {
    const keys = await newKeys()
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      notBefore: new Date(Date.now() - 30 * day),
      notAfter: new Date(Date.now() + 30 * day),
      keys,
      signingAlgorithm: algorithm,
      extensions: [new BasicConstraintsExtension(true, 0, true)]
    })
    return { certificate, keys }
  })

/** What a certificate is for. */
export interface CertificateOptions {
  readonly by: Authority
  readonly for: "server" | "client"
  /** The IP address that it is of; without it, the name `elsewhere.example`. */
  readonly ip?: string
  /** Whether its time is over. */
  readonly expired?: boolean
}

let serial = 0

/** Writes a certificate with its key, beside the authority that the other side's must be of, into files of a directory. */
export const issueFiles = (
  directory: string,
  trusted: Authority,
  { by, expired = false, for: use, ip }: CertificateOptions
): Effect.Effect<TlsFiles> =>
  Effect.promise(async () => {
    serial += 1
    const keys = await newKeys()
    const certificate = await X509CertificateGenerator.create({
      serialNumber: serial.toString(16).padStart(4, "0"),
      subject: `CN=${use}`,
      issuer: by.certificate.subject,
      notBefore: new Date(Date.now() - 2 * day),
      notAfter: new Date(Date.now() + (expired ? -day : day)),
      publicKey: keys.publicKey,
      signingKey: by.keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [
        new ExtendedKeyUsageExtension([use === "server" ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth]),
        new SubjectAlternativeNameExtension([
          ip === undefined ? { type: "dns", value: "elsewhere.example" } : { type: "ip", value: ip }
        ])
      ]
    })
    const write = (name: string, text: string): string => {
      const path = join(directory, `${serial}-${name}.pem`)
      writeFileSync(path, text, { mode: 0o600 })
      return path
    }
    return {
      ca: write("ca", trusted.certificate.toString("pem")),
      cert: write("cert", certificate.toString("pem")),
      key: write("key", await pemOfKey(keys))
    }
  })
