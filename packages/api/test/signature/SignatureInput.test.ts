import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readSignatureInput } from "../../src/signature/SignatureInput.ts"
import { acceptSignature } from "../../src/signature/SignatureProfile.ts"

const parameters = {
  created: "1",
  expires: "2",
  keyid: '"k"',
  nonce: '"AAECAwQFBgcICQoLDA0ODw"',
  tag: '"bursar-v1"'
}

const header = (changes: Record<string, string | undefined> = {}, list = '("@method" "@path")') =>
  `sig1=${list}${Object.entries({ ...parameters, ...changes })
    .flatMap(([name, value]) => (value === undefined ? [] : [`;${name}=${value}`]))
    .join("")}`

const codeOf = (text: string) =>
  Result.match(readSignatureInput(text), { onSuccess: () => "read", onFailure: ({ code }) => code })

describe("Signature-Input", () => {
  it("is read as it is written", () => {
    assert.deepStrictEqual(
      readSignatureInput(header()),
      Result.succeed({
        label: "sig1",
        components: ['"@method"', '"@path"'],
        params: header().slice("sig1=".length),
        keyid: "k",
        nonce: "AAECAwQFBgcICQoLDA0ODw",
        created: 1,
        expires: 2
      })
    )
    assert.strictEqual(codeOf(header({}, "()")), "read")
    assert.strictEqual(codeOf(` ${header()} `), "read")
  })

  it("holds exactly one label", () => {
    for (const text of ["", "sig1", `${header()}, ${header().replace("sig1", "sig2")}`, `${header()}, ${header()}`]) {
      assert.strictEqual(codeOf(text), "signature_malformed", text)
    }
  })

  it("is not read in any form but the one in which RFC 8941 writes it", () => {
    for (const text of [
      header({}, '("@method"  "@path")'),
      header({}, '( "@method" "@path")'),
      header({}, '("@method", "@path")'),
      header({}, '"@method" "@path"'),
      header({}, "(@method)"),
      header({}, '("@meth\\"od")'),
      header({}, '("é")'),
      header().replace(";created", "; created"),
      header({ created: "01" }),
      header({ created: "1.0" }),
      header({ created: '"1"' }),
      header({ created: "-1" }),
      header({ created: "9999999999999999" }),
      header({ keyid: "k" }),
      header().toUpperCase(),
      `${header()};created=1`,
      `${header()};nonce`,
      `${header()},`
    ]) {
      assert.strictEqual(codeOf(text), "signature_malformed", text)
    }
  })

  it("has every parameter of the profile and none besides", () => {
    for (const name of Object.keys(parameters)) {
      assert.strictEqual(codeOf(header({ [name]: undefined })), "signature_malformed", name)
    }
    for (const changes of [
      { tag: '"other"' },
      { alg: '"rsa-pss-sha512"' },
      { alg: '"Ed25519"' },
      { keyid: '""' },
      { keyid: `"${"k".repeat(129)}"` },
      { nonce: '"AAECAwQFBgcICQoLDA0OD"' },
      { nonce: `"${"A".repeat(129)}"` },
      { nonce: '"AAECAwQFBgcICQ LDA0ODw"' },
      { context: '"x"' }
    ]) {
      assert.strictEqual(codeOf(header(changes)), "signature_malformed", JSON.stringify(changes))
    }
    assert.strictEqual(codeOf(header({ alg: '"ed25519"' })), "read")
  })

  it("is asked for in the words of the contract", () => {
    assert.strictEqual(
      acceptSignature,
      'sig1=("@method" "@authority" "@path" "idempotency-key" "content-type" "content-digest");created;expires;keyid;nonce;tag="bursar-v1"'
    )
  })
})
