import {
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign
} from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as ecc from "tiny-secp256k1"

interface StoredKey {
  readonly id: string
  readonly spec: string
  readonly description: string
  readonly pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
  state: string
  origin: string
}

type Input = Readonly<Record<string, unknown>>

class Fault extends Error {
  readonly code: string
  readonly status: number
  constructor(code: string, status = 400) {
    super(code)
    this.code = code
    this.status = status
  }
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const wrappingKeyId = "00000000-0000-4000-8000-000000000001"

const integer = (bytes: Uint8Array): Buffer => {
  const trimmed = Buffer.from(bytes.slice(bytes.findIndex((byte) => byte !== 0)))
  const value = (trimmed[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed
  return Buffer.concat([Buffer.of(2, value.length), value])
}

/** DER, with either `s`, as KMS gives it. */
const derOf = (r: Uint8Array, low: Uint8Array): Buffer => {
  const s = BigInt(`0x${Buffer.from(low).toString("hex")}`)
  const given = randomBytes(1).readUInt8() < 128 ? s : order - s
  const body = Buffer.concat([integer(r), integer(Buffer.from(given.toString(16).padStart(64, "0"), "hex"))])
  return Buffer.concat([Buffer.of(0x30, body.length), body])
}

const text = (input: Input, name: string): string => String(input[name] ?? "")
const bytes = (input: Input, name: string): Buffer => Buffer.from(text(input, name), "base64")

const privateBytes = ({ pair }: StoredKey): Buffer =>
  Buffer.from(pair.privateKey.export({ format: "jwk" }).d ?? "", "base64url")

/** What of KMS the custody asks for, over its wire, with faults on demand. It stands in where no emulator has a curve or a fault. */
export const startStandInKms = async () => {
  const keys = new Map<string, StoredKey>()
  const aliases = new Map<string, string>()
  const wrapping = randomBytes(32)
  const calls: Array<string> = []
  let faults: Array<{ readonly operation: string; readonly code: string; readonly status: number }> = []
  let isLying = false

  const keyOf = (input: Input): StoredKey => {
    const named = text(input, "KeyId")
    const key = keys.get(named.startsWith("alias/") ? (aliases.get(named) ?? "") : named)
    if (key === undefined) throw new Fault("NotFoundException")
    return key
  }

  const metadata = ({ description, id, origin, spec, state }: StoredKey) => ({
    KeyMetadata: {
      KeyId: id,
      Description: description,
      KeySpec: spec,
      KeyState: state,
      KeyUsage: "SIGN_VERIFY",
      Origin: origin
    }
  })

  const signature = (input: Input): Buffer => {
    const key = keyOf(input)
    if (key.state !== "Enabled")
      throw new Fault(key.state === "Disabled" ? "DisabledException" : "KMSInvalidStateException")
    const message = isLying ? randomBytes(32) : bytes(input, "Message")
    if (key.spec === "ECC_NIST_EDWARDS25519") {
      if (text(input, "SigningAlgorithm") !== "ED25519_SHA_512" || text(input, "MessageType") !== "RAW")
        throw new Fault("InvalidKeyUsageException")
      return sign(null, message, key.pair.privateKey)
    }
    if (text(input, "SigningAlgorithm") !== "ECDSA_SHA_256" || text(input, "MessageType") !== "DIGEST")
      throw new Fault("InvalidKeyUsageException")
    const signed = ecc.sign(message, privateBytes(key))
    return derOf(signed.slice(0, 32), signed.slice(32))
  }

  const pairOf = (spec: string) =>
    spec === "ECC_SECG_P256K1" ? generateKeyPairSync("ec", { namedCurve: "secp256k1" }) : generateKeyPairSync("ed25519")

  const operations: Readonly<Record<string, (input: Input) => unknown>> = {
    CreateKey: (input) => {
      const spec = text(input, "KeySpec")
      const key = {
        id: randomUUID(),
        spec,
        description: text(input, "Description"),
        pair: pairOf(spec),
        state: "Enabled",
        origin: "AWS_KMS"
      }
      keys.set(key.id, key)
      return metadata(key)
    },
    CreateAlias: (input) => {
      const name = text(input, "AliasName")
      if (aliases.has(name)) throw new Fault("AlreadyExistsException")
      aliases.set(name, text(input, "TargetKeyId"))
      return {}
    },
    DescribeKey: (input) => metadata(keyOf(input)),
    GetPublicKey: (input) => ({
      PublicKey: keyOf(input).pair.publicKey.export({ format: "der", type: "spki" }).toString("base64")
    }),
    ListAliases: (input) => {
      const all = [...aliases].map(([AliasName, TargetKeyId]) => ({ AliasName, TargetKeyId }))
      const from = Number(input["Marker"] ?? 0)
      const page = all.slice(from, from + 3)
      const isMore = from + 3 < all.length
      return { Aliases: page, Truncated: isMore, ...(isMore ? { NextMarker: String(from + 3) } : {}) }
    },
    ScheduleKeyDeletion: (input) => {
      keyOf(input).state = "PendingDeletion"
      return {}
    },
    Sign: (input) => ({ Signature: signature(input).toString("base64") }),
    Encrypt: (input) => {
      if (text(input, "KeyId") !== wrappingKeyId) throw new Fault("NotFoundException")
      const iv = randomBytes(12)
      const cipher = createCipheriv("aes-256-gcm", wrapping, iv).setAAD(
        Buffer.from(JSON.stringify(input["EncryptionContext"]))
      )
      const sealed = Buffer.concat([iv, cipher.update(bytes(input, "Plaintext")), cipher.final(), cipher.getAuthTag()])
      return { CiphertextBlob: sealed.toString("base64"), KeyId: wrappingKeyId }
    },
    Decrypt: (input) => {
      if (text(input, "KeyId") !== wrappingKeyId) throw new Fault("IncorrectKeyException")
      try {
        const sealed = bytes(input, "CiphertextBlob")
        const decipher = createDecipheriv("aes-256-gcm", wrapping, sealed.subarray(0, 12))
          .setAAD(Buffer.from(JSON.stringify(input["EncryptionContext"])))
          .setAuthTag(sealed.subarray(-16))
        const plain = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
        return { Plaintext: plain.toString("base64"), KeyId: wrappingKeyId }
      } catch {
        throw new Fault("InvalidCiphertextException")
      }
    }
  }

  const answer = (operation: string, body: string): { readonly status: number; readonly json: unknown } => {
    calls.push(operation)
    const at = faults.findIndex((fault) => fault.operation === operation)
    const [fault] = at < 0 ? [] : faults.splice(at, 1)
    try {
      if (fault !== undefined) throw new Fault(fault.code, fault.status)
      const known = operations[operation]
      if (known === undefined) throw new Fault("UnsupportedOperationException")
      return { status: 200, json: known(JSON.parse(body) as Input) }
    } catch (error) {
      if (error instanceof Fault)
        return { status: error.status, json: { __type: error.code, message: "arn:aws:iam::123456789012:role/secret" } }
      throw error
    }
  }

  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const [, operation = ""] = String(request.headers["x-amz-target"] ?? "").split(".")
      const { json, status } = answer(operation, Buffer.concat(chunks).toString("utf8"))
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(json))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // it listens on TCP, so it has a port
  const { port } = server.address() as AddressInfo

  return {
    endpoint: `http://127.0.0.1:${port}`,
    wrappingKeyId,
    calls,
    fail: (operation: string, code: string, times: number, status = 400) => {
      faults = [...faults, ...Array.from({ length: times }, () => ({ operation, code, status }))]
    },
    change: (keyId: string, to: Partial<Pick<StoredKey, "state" | "origin">>) =>
      Object.assign(keys.get(keyId) ?? {}, to),
    pointAlias: (alias: string, keyId: string) => aliases.set(alias, keyId),
    lie: (lying: boolean) => {
      isLying = lying
    },
    dropConnections: () => server.closeAllConnections(),
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
