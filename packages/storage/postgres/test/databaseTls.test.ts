import { databaseTls } from "@bursar/postgres/databaseTls"
import { migrate } from "@bursar/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"

describe("a connection to the database", () => {
  const said = (url: string) => Result.getOrElse(databaseTls(url), () => "refused")

  it("is encrypted and its server verified, unless it stays on this machine or its URL says otherwise", () => {
    for (const url of [
      "postgres://u:p@db.example/bursar",
      "postgres://u:p@10.0.0.5:5432/bursar",
      "postgres://u:p@127.0.0.1.example/bursar",
      "postgres://u:p@localhost/bursar?host=db.example",
      "postgres://u:p@db.example/bursar?sslmode=require",
      "postgres://u:p@db.example/bursar?sslmode=verify-full"
    ])
      assert.deepStrictEqual(said(url), { ssl: true }, url)
    for (const url of [
      "postgres://u:p@127.0.0.1:5432/bursar",
      "postgres://u:p@localhost/bursar",
      "postgres://u:p@[::1]/bursar",
      "postgres:///bursar?host=/var/run/postgresql"
    ])
      assert.deepStrictEqual(said(url), {}, url)
    assert.deepStrictEqual(said("postgres://u:p@db.example/bursar?sslmode=disable"), { ssl: false })
    for (const mode of ["prefer", "allow", "nonsense"])
      assert.strictEqual(said(`postgres://u:p@db.example/bursar?sslmode=${mode}`), "refused", mode)
  })

  it.live("asks for TLS first, and gives nobody a password who has none", () =>
    Effect.gen(function* () {
      const heard: Array<Buffer> = []
      const server = createServer((socket) =>
        socket.on("data", (chunk: Buffer) => {
          heard.push(chunk)
          socket.write("N")
        })
      )
      server.listen(0, "127.0.0.1")
      yield* Effect.promise(() => once(server, "listening"))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const { port } = server.address() as AddressInfo // it listens on TCP
      // a name of this machine that does not look like one
      const url = Redacted.make(`postgres://u:secret@0:${port}/bursar?connect_timeout=5`)
      const failed = yield* Effect.flip(migrate({ url }))
      assert.include(JSON.stringify(failed) + String(failed.cause), "TLS")
      assert.strictEqual(Buffer.concat(heard).toString("hex"), "0000000804d2162f")
    }).pipe(Effect.scoped)
  )
})
