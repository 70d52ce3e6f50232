import { AuditSealer } from "@bursar/core/port/AuditSealer"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { type SignTransaction, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Vault, VaultError } from "@bursar/core/port/Vault"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { listenSigner, SignerClient, type TlsFiles } from "@bursar/signer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { request as plainRequest } from "node:http"
import { request as tlsRequest, type RequestOptions } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type CertificateOptions, issueFiles, newAuthority } from "./support/certificates.ts"

const host = "127.0.0.1"

const transaction: SignTransaction = {
  tenantId: TenantId("00000000-0000-4000-8000-000000000001"),
  network: "ethereum",
  unsigned: Uint8Array.of(1),
  signers: [],
  own: [],
  requests: []
}

const nothingElse = Layer.mergeAll(Layer.mock(Vault, {}), Layer.mock(AuditSealer, {}), Layer.mock(ReserveProver, {}))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "signer-tls-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Authorities of this service and of somebody else, and a signer that listens with a certificate of the first. */
const opened = Effect.gen(function* () {
  const directory = yield* folder
  const [ours, theirs] = [yield* newAuthority("ours"), yield* newAuthority("theirs")]
  let reached = 0
  const signer = TransactionSigner.of({
    signed: () => Effect.succeed([]),
    sign: () =>
      Effect.sync(() => {
        reached += 1
        return { hash: "hash", raw: Uint8Array.of(7) }
      })
  })
  const served = Layer.merge(nothingElse, Layer.succeed(TransactionSigner, signer))
  const listen = (given: Partial<CertificateOptions>) =>
    Effect.gen(function* () {
      const tls = yield* issueFiles(directory, ours, { by: ours, for: "server", ip: host, ...given })
      const { url } = yield* Effect.provide(
        listenSigner({ address: { _tag: "Tls", host, port: 0 }, tls }),
        yield* Layer.build(served)
      )
      return Number(new URL(url).port)
    })
  const port = yield* listen({})
  const clientFiles = (given: Partial<CertificateOptions> = {}) =>
    issueFiles(directory, ours, { by: ours, for: "client", ...given })
  const sign = (tls: TlsFiles, at = port) =>
    Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(
          SignerClient.layerTransactionSigner({ address: { _tag: "Tls", host, port: at }, tls })
        )
        const { sign: ask } = yield* Effect.provide(TransactionSigner, context)
        return yield* ask(transaction)
      })
    )
  return { clientFiles, served, listen, ours, port, reached: () => reached, sign, theirs }
})

const refused = Effect.fnUntraced(function* (attempt: Effect.Effect<unknown, unknown>) {
  const error = yield* Effect.flip(attempt)
  assert.instanceOf(error, VaultError)
  assert.include(String(error), "it does not answer")
})

/** How a connection ends that a signer answers nothing on. */
const ending = (
  send: (url: string, options: RequestOptions) => ReturnType<typeof tlsRequest>,
  url: string,
  options: RequestOptions = {}
) =>
  Effect.callback<string>((resume) => {
    const request = send(url, { ...options, method: "POST" })
    request.once("response", ({ statusCode }) => resume(Effect.succeed(`answered ${statusCode}`)))
    request.once("error", (error) => resume(Effect.succeed(`failed: ${"code" in error ? error.code : error.message}`)))
    request.end("{}")
  })

describe("a signer behind TLS", () => {
  it.live("answers who shows a certificate of its authority", () =>
    Effect.gen(function* () {
      const { clientFiles, reached, sign } = yield* opened
      const { raw } = yield* sign(yield* clientFiles())
      assert.deepStrictEqual(raw, Uint8Array.of(7))
      assert.strictEqual(reached(), 1)
    })
  )

  it.live("answers nobody without a certificate, or with one of another authority, expired, or for servers", () =>
    Effect.gen(function* () {
      const { clientFiles, ours, port, reached, sign, theirs } = yield* opened
      for (const given of [{ by: theirs }, { expired: true }, { for: "server" }] as const)
        yield* refused(sign(yield* clientFiles(given)))
      const url = `https://${host}:${port}/v1/sign`
      const ca = ours.certificate.toString("pem")
      assert.match(yield* ending(tlsRequest, url, { ca }), /^failed: /u)
      assert.strictEqual(reached(), 0)
      yield* sign(yield* clientFiles())
    })
  )

  it.live("answers nobody in plain text, or over an older TLS", () =>
    Effect.gen(function* () {
      const { clientFiles, ours, port, reached } = yield* opened
      assert.match(yield* ending(plainRequest, `http://${host}:${port}/v1/sign`), /^failed: /u)
      const { cert, key } = yield* clientFiles()
      const files = { ca: ours.certificate.toString("pem"), cert: readFileSync(cert), key: readFileSync(key) }
      const older = { ...files, maxVersion: "TLSv1.2" } as const
      assert.match(yield* ending(tlsRequest, `https://${host}:${port}/v1/sign`, older), /^failed: /u)
      assert.strictEqual(reached(), 0)
      // the same files over the right version are let in: the body is what is wrong then
      assert.match(yield* ending(tlsRequest, `https://${host}:${port}/v1/sign`, files), /^answered 4/u)
    })
  )

  it.live("does not listen with a key that others can read", () =>
    Effect.gen(function* () {
      const { clientFiles, served } = yield* opened
      const tls = yield* clientFiles({ for: "server" })
      chmodSync(tls.key, 0o640)
      const listening = Effect.provide(listenSigner({ address: { _tag: "Tls", host, port: 0 }, tls }), served)
      assert.match(String(yield* Effect.flip(listening)), /others than its owner can read/u)
    })
  )

  it.live("is not asked where it shows another name, an expired certificate, or one of another authority", () =>
    Effect.gen(function* () {
      const { clientFiles, listen, reached, sign, theirs } = yield* opened
      const files = yield* clientFiles()
      for (const given of [{ ip: "127.0.0.2" }, { expired: true }, { by: theirs }, { for: "client" }] as const)
        yield* refused(sign(files, yield* listen(given)))
      assert.strictEqual(reached(), 0)
    })
  )
})
