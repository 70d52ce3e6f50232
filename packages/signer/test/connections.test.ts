import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { type SignTransaction, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { SignerClient } from "@bursar/signer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const transaction: SignTransaction = {
  tenantId: TenantId("00000000-0000-4000-8000-000000000001"),
  network: "ethereum",
  unsigned: Uint8Array.of(1),
  signers: [],
  own: [],
  requests: []
}

const document = { service: "service", snapshotId: "snapshot", digest: "digest", takenAt: "now" }

/** What a signer answers at each path. */
const answers: Readonly<Record<string, unknown>> = {
  "/v1/sign": { at: 0, hash: "hash", raw: "Bw==" },
  "/v1/solvency-document": { key: "key", signature: "signature" }
}

/** A signer that drops a connection when it is used for the request that `drops` names: its number on the connection, from 1. */
const opened = Effect.fnUntraced(function* (drops: (nth: number) => boolean) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "signer-connections-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const path = join(folder, "signer.sock")
  const requests = new Map<Socket, number>()
  let answered = 0
  const server = createServer((request, response) => {
    const nth = (requests.get(request.socket) ?? 0) + 1
    requests.set(request.socket, nth)
    if (drops(nth)) return void request.socket.destroy()
    answered += 1
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(answers[request.url ?? ""]))
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => void server.listen(path, resolve))),
    () => Effect.promise(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
  const address = { _tag: "Socket" as const, path }
  const layers = Layer.merge(
    SignerClient.layerTransactionSigner({ address }),
    SignerClient.layerReserveProver({ address })
  )
  const context = yield* Layer.build(layers)
  const { sign } = yield* Effect.provide(TransactionSigner, context)
  const { signDocument } = yield* Effect.provide(ReserveProver, context)
  const calls = { transaction: Effect.asVoid(sign(transaction)), document: Effect.asVoid(signDocument(document)) }
  return { answered: () => answered, connections: () => requests.size, calls }
})

describe.each(["transaction", "document"] as const)(
  "a connection to the signer, over which a %s is signed,",
  (what) => {
    it.effect("is replaced if it is closed in the moment in which it is used again, and the request is answered", () =>
      Effect.gen(function* () {
        const { answered, calls, connections } = yield* opened((nth) => nth === 2)
        for (let times = 0; times < 3; times++) yield* calls[what]
        assert.strictEqual(answered(), 3)
        assert.strictEqual(connections(), 3)
      }).pipe(Effect.scoped)
    )

    it.effect("that is closed again and again ends in an error that says so", () =>
      Effect.gen(function* () {
        const { answered, calls } = yield* opened(() => true)
        const error = yield* Effect.flip(calls[what])
        assert.instanceOf(error, VaultError)
        assert.include(String(error), "it does not answer")
        assert.strictEqual(answered(), 0)
      }).pipe(Effect.scoped)
    )
  }
)
