import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import { lookup } from "node:dns/promises"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeResolveHost, resolveAsSystem, Unresolved } from "../../src/egress/resolveHost.ts"

type Kind = "A" | "AAAA"

const kinds: Readonly<Record<number, Kind>> = { 1: "A", 28: "AAAA" }

/** The name and kind that a query asks for, and where its question ends. */
const questionIn = (query: Buffer) => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), kind: kinds[query.readUInt16BE(at + 1)], end: at + 5 }
}

/** An answer of these addresses, each as its bytes; that there is no such name where it is null. */
const answerTo = (query: Buffer, end: number, addresses: ReadonlyArray<ReadonlyArray<number>> | null): Buffer => {
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(addresses === null ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(addresses?.length ?? 0, 6)
  head.fill(0, 8)
  const kind = query.readUInt16BE(end - 4)
  const records = (addresses ?? []).map((bytes) =>
    Buffer.from([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes])
  )
  return Buffer.concat([head, query.subarray(12, end), ...records])
}

type Zone = Readonly<Record<string, Partial<Record<Kind, ReadonlyArray<ReadonlyArray<number>>>>>>

/** A name server for the length of a scope. Of names in `silent.example` it says nothing before it is told to `speak`. */
const nameServer = (zone: Zone) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly servers: ReadonlyArray<string>
      /** What it was asked for. */
      readonly asked: ReadonlyArray<string>
      readonly speak: () => void
      readonly close: () => void
    }>((resume) => {
      const asked: Array<string> = []
      let speaks = false
      const speak = () => {
        speaks = true
      }
      const socket = createSocket("udp4")
      socket.on("message", (query, from) => {
        const { end, kind, name } = questionIn(query)
        asked.push(`${name} ${kind}`)
        if (!speaks && name.endsWith(".silent.example")) return
        const entry = zone[name]
        const found = entry === undefined ? null : ((kind && entry[kind]) ?? [])
        socket.send(answerTo(query, end, found), from.port, from.address)
      })
      socket.bind(0, "127.0.0.1", () => {
        const servers = [`127.0.0.1:${socket.address().port}`]
        resume(Effect.succeed({ servers, asked, speak, close: () => socket.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** A hosts file for the length of a scope. */
const hostsFile = (text: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await mkdtemp(join(tmpdir(), "hosts-"))
      await writeFile(join(folder, "hosts"), text)
      return { folder, file: join(folder, "hosts") }
    }),
    ({ folder }) => Effect.promise(() => rm(folder, { recursive: true }))
  )

const none = "/no/such/file"

describe("the names of hosts that others chose", () => {
  it.live("are looked up without a thread: silent name servers keep nobody else's names from being found", () =>
    Effect.gen(function* () {
      const { servers, speak } = yield* nameServer({ "here.example": { A: [[192, 0, 2, 7]] } })
      const resolve = makeResolveHost({ hostsFile: none, servers, timeoutMs: 60_000 })
      let pending = 0
      // far more than there are threads for the system's own lookups
      const silent = Array.from({ length: 32 }, async (_, n) => {
        pending += 1
        await resolve(`${n}.silent.example`).catch(() => [])
        pending -= 1
      })
      yield* Effect.promise(() => lookup("localhost"))
      assert.lengthOf(yield* Effect.promise(() => resolve("here.example")), 1)
      assert.strictEqual(pending, 32)
      speak()
      yield* Effect.promise(() => Promise.all(silent))
    }).pipe(Effect.scoped)
  )

  it.live("are given up where no name server answers in time", () =>
    Effect.gen(function* () {
      const { servers } = yield* nameServer({})
      const resolve = makeResolveHost({ hostsFile: none, servers, timeoutMs: 100 })
      const said = yield* Effect.promise(() => resolve("a.silent.example").catch((error: Error) => error.message))
      assert.strictEqual(said, "no name server answered for a.silent.example within 100 ms")
    }).pipe(Effect.scoped)
  )

  it.live("are asked for once at a time, and again once that was answered", () =>
    Effect.gen(function* () {
      const { asked, servers } = yield* nameServer({ "here.example": { A: [[192, 0, 2, 7]] } })
      const resolve = makeResolveHost({ hostsFile: none, servers, timeoutMs: 5_000 })
      yield* Effect.promise(() => Promise.all([resolve("here.example"), resolve("here.example")]))
      assert.deepStrictEqual(asked.toSorted(), ["here.example A", "here.example AAAA"])
      yield* Effect.promise(() => resolve("here.example"))
      assert.lengthOf(asked, 4)
    }).pipe(Effect.scoped)
  )

  it.live("lead to the addresses of both kinds, and nowhere where there is no such name", () =>
    Effect.gen(function* () {
      const six = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
      const { servers } = yield* nameServer({
        "both.example": {
          A: [
            [192, 0, 2, 7],
            [192, 0, 2, 8]
          ],
          AAAA: [six]
        },
        "six.example": { AAAA: [six] }
      })
      const resolve = makeResolveHost({ hostsFile: none, servers, timeoutMs: 5_000 })
      const addresses = (host: string) =>
        Effect.map(
          Effect.promise(() => resolve(host)),
          (found) => found.map(({ address, family }) => `${family} ${address}`)
        )
      assert.deepStrictEqual((yield* addresses("both.example")).toSorted(), [
        "4 192.0.2.7",
        "4 192.0.2.8",
        "6 2001:db8::1"
      ])
      assert.deepStrictEqual(yield* addresses("six.example"), ["6 2001:db8::1"])
      const nobody = yield* Effect.promise(() => resolve("nobody.example").catch((error: Error) => error.message))
      assert.match(String(nobody), /ENOTFOUND nobody\.example/u)
    }).pipe(Effect.scoped)
  )

  it.live("are taken from the hosts file first, and asked of nobody then", () =>
    Effect.gen(function* () {
      const { asked, servers } = yield* nameServer({ "there.example": { A: [[192, 0, 2, 7]] } })
      const { file } = yield* hostsFile(
        "# of this machine\n10.0.0.5\thooks.example Other.example # ours\n::1 hooks.example\nnonsense there.example\n"
      )
      const resolve = makeResolveHost({ hostsFile: file, servers, timeoutMs: 5_000 })
      const both = [
        { address: "10.0.0.5", family: 4 },
        { address: "::1", family: 6 }
      ]
      assert.deepStrictEqual(yield* Effect.promise(() => resolve("hooks.example")), both)
      assert.deepStrictEqual(yield* Effect.promise(() => resolve("other.example.")), both.slice(0, 1))
      assert.deepStrictEqual(asked, [])
      assert.lengthOf(yield* Effect.promise(() => resolve("there.example")), 1)
    }).pipe(Effect.scoped)
  )

  it.live("are the system's to know where they are short", () =>
    Effect.gen(function* () {
      const { asked, servers } = yield* nameServer({})
      const found = yield* Effect.promise(() =>
        makeResolveHost({ hostsFile: none, servers, timeoutMs: 5_000 })("localhost")
      )
      assert.include(["127.0.0.1", "::1"], found[0]?.address)
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped)
  )
})

describe("the names of hosts that the operator chose", () => {
  it.live("are the system's to know, with a dot in them too", () =>
    Effect.gen(function* () {
      // no name server knows it: the system reads it as an address
      const found = yield* Effect.promise(() => resolveAsSystem("127.1"))
      assert.deepStrictEqual(found, [{ address: "127.0.0.1", family: 4 }])
    })
  )

  it.live("lead nowhere where the system knows none", () =>
    Effect.gen(function* () {
      const said = yield* Effect.promise(() => resolveAsSystem("nobody.invalid").catch((error: unknown) => error))
      assert.instanceOf(said, Unresolved)
    })
  )
})
