import { AuditSealer } from "@bursar/core/port/AuditSealer"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Vault } from "@bursar/core/port/Vault"
import { listenSigner } from "@bursar/signer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const nothing = Layer.mergeAll(
  Layer.mock(Vault, {}),
  Layer.mock(AuditSealer, {}),
  Layer.mock(ReserveProver, {}),
  Layer.mock(TransactionSigner, {})
)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "signer-protocols-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** As many connections as a signer takes. */
const connectionsMax = 256

describe("a connection to the signer that asks for another protocol", () => {
  it.live("is answered in the one that it speaks, and its client cannot keep it", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "signer.sock")
      yield* Effect.provide(listenSigner({ address: { _tag: "Socket", path } }), yield* Layer.build(nothing))
      const asked = Effect.fnUntraced(function* (protocol: string) {
        // its client never closes its own side
        const socket = yield* Effect.acquireRelease(
          Effect.sync(() => connect({ path, allowHalfOpen: true })),
          (one) => Effect.sync(() => one.destroy())
        )
        const text: Array<string> = []
        socket.on("data", (chunk) => void text.push(chunk.toString("latin1")))
        const ended = once(socket, "end")
        const head = ["GET /v1/nothing HTTP/1.1", "host: signer", "connection: close, upgrade", `upgrade: ${protocol}`]
        socket.write(`${head.join("\r\n")}\r\n\r\n`)
        yield* Effect.promise(() => ended)
        return text.join("")
      })
      for (let count = 0; count <= connectionsMax; count++)
        assert.match(yield* asked(count % 2 === 0 ? "h2c" : "websocket"), /^HTTP\/1\.1 404 /u)
    })
  )
})
