import { readSignatureHeaders } from "@bursar/api/signature/signatureHeaders"
import { readSignatureInput } from "@bursar/api/signature/SignatureInput"
import { readCursor, writeCursor } from "@bursar/server/handlers/register/Cursor"
import { forwardedHops } from "@bursar/server/http/forwardedHops"
import { huntTest } from "@bursar/testkit/hunt/huntTest"
import { assert, describe } from "@effect/vitest"
import { Redacted, Result } from "effect"

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

const input =
  'sig1=("@method" "@authority" "@path" "content-digest" "idempotency-key");created=1795000000;expires=1795000060;keyid="k4ZDyTGRbYyEZXbqYV1wPCvAoKzSrGFpHsBlqV6Ix3k";nonce="AbCdEfGhIjKlMnOpQrStUv";alg="ed25519";tag="bursar-v1"'
const words = ['"@method"', ";created=", ';nonce="', "sig2=", '"@query-param";name="a"', ";sf", ":", "sha-256=:", "==:"]

const signature = `sig1=:${Buffer.alloc(64, 7).toString("base64")}:`
const digest = `sha-256=:${Buffer.alloc(32, 9).toString("base64")}:`

const binding = {
  secret: Redacted.make("secret of cursors"),
  tenantId: "019845e1-682f-4b02-a706-3b2422d13aec",
  filters: { status: "SETTLED" }
}
const position = { createdAt: 1_795_000_000_000, id: "019845e1-682f-4b02-a706-3b2422d13aed" }

describe("what strangers send in headers and queries, by many inputs that go where code has not been", () => {
  huntTest("a Signature-Input reads as one label with the parts that stand in it, or is refused", {
    seeds: [input, input.replace('"content-digest" ', ""), 'a=();created=1;expires=2;keyid="k";nonce="n";tag="t"'],
    words,
    read: (bytes) => {
      const text = textOf(bytes)
      const read = readSignatureInput(text)
      if (Result.isFailure(read)) return
      const { components, keyid, label, nonce, params } = read.success
      assert.strictEqual(`${label}=${params}`, text.trim())
      assert.isTrue(params.startsWith(`(${components.join(" ")})`))
      assert.isTrue(params.includes(`;keyid="${keyid}"`) && params.includes(`;nonce="${nonce}"`))
    }
  })

  huntTest("the three headers of a signature read as what they say, or are refused", {
    seeds: [`${input}\n${signature}\n${digest}`, `${input}\n\n${digest}`],
    words,
    read: (bytes) => {
      const [first = "", second = "", third = ""] = textOf(bytes).split("\n")
      const headers: Readonly<Record<string, string>> = {
        "signature-input": first,
        signature: second,
        "content-digest": third
      }
      const read = readSignatureHeaders((name) => headers[name])
      if (Result.isFailure(read)) return
      const { input: found, signature: made } = read.success
      assert.strictEqual(`${found.label}=:${Buffer.from(made).toString("base64")}:`, second.trim())
    }
  })

  huntTest("a Forwarded header names addresses alone, and nothing where it is malformed", {
    seeds: [
      "for=192.0.2.60;proto=http;by=203.0.113.43",
      'for="[2001:db8:cafe::17]:4711", for=198.51.100.17',
      'for="_gazonk", for=unknown'
    ],
    words: ["for=", ";", ",", '"', "\\", "[::1]", "127.0.0.1", ":80", "unknown"],
    read: (bytes) => {
      const text = textOf(bytes)
      for (const hop of forwardedHops(text)) {
        if (hop !== undefined) assert.isTrue(text.replaceAll("\\", "").includes(hop))
      }
    }
  })

  huntTest("a cursor is one that was written, or nothing", {
    seeds: [writeCursor(binding, position), writeCursor({ ...binding, tenantId: "another" }, position)],
    words: ["v1.", ".", "=", "-", "_"],
    read: (bytes) => {
      const read = readCursor(binding, textOf(bytes))
      if (read !== undefined) assert.deepStrictEqual(read, position)
    }
  })
})
