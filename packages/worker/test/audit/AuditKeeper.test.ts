import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { readAnchors, writeAnchor } from "@bursar/core/audit/anchorLines"
import { AuditBroken, AuditSealer } from "@bursar/core/port/AuditSealer"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { VaultError } from "@bursar/core/port/Vault"
import * as Memory from "@bursar/memory"
import { layer as keeper } from "@bursar/worker/audit/AuditKeeper"
import { fileAnchor } from "@bursar/worker/audit/fileAnchor"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Queue, References } from "effect"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const sealOf = (number: number, mac = "a"): AuditSeal => ({
  number,
  fromId: number,
  toId: number,
  hash: "0".repeat(64),
  at: 1_000 + number,
  keyId: "test",
  previous: "0".repeat(64),
  mac: mac.repeat(64)
})

const anchorPath = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "anchor-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "anchor.jsonl")
)

describe("an anchor file", () => {
  it.live("gets each seal once, for its owner alone, and survives a line that a crash cut", () =>
    Effect.gen(function* () {
      const path = yield* anchorPath
      const { put } = fileAnchor(path)
      yield* put(sealOf(1))
      yield* put(sealOf(1))
      appendFileSync(path, writeAnchor(sealOf(2)).slice(0, 40))
      yield* put(sealOf(3))
      assert.deepStrictEqual(readAnchors(readFileSync(path, "utf8")), { seals: [sealOf(1), sealOf(3)], strange: [] })
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    })
  )

  it.live("contradicts a database whose seals went back or became others, and is not added to", () =>
    Effect.gen(function* () {
      const path = yield* anchorPath
      const { put } = fileAnchor(path)
      yield* put(sealOf(3))
      const before = readFileSync(path, "utf8")
      assert.match(String(yield* Effect.flip(put(sealOf(1)))), /Seals 2 to 3 were taken out/u)
      assert.match(String(yield* Effect.flip(put(sealOf(3, "b")))), /Seal 3 was replaced/u)
      assert.strictEqual(readFileSync(path, "utf8"), before)
    })
  )

  it.live("that cannot be written says so, and lines that are no seals are named", () =>
    Effect.gen(function* () {
      const path = yield* anchorPath
      const error = yield* Effect.flip(fileAnchor(join(path, "none")).put(sealOf(1)))
      assert.strictEqual(error._tag, "AnchorFailed")
      writeFileSync(path, `${writeAnchor(sealOf(1))}{"number":2}\n`)
      assert.deepStrictEqual(readAnchors(readFileSync(path, "utf8")).strange, [2])
    })
  )
})

/** A signer that gives one seal after the other, each once, and is in trouble in between. It has verified the newest that it gave. */
const scripted = (steps: ReadonlyArray<AuditSeal | "away" | "broken">) => {
  let at = 0
  let newest: AuditSeal | null = null
  return AuditSealer.of({
    seal: () =>
      Effect.suspend((): Effect.Effect<AuditSeal | null, AuditBroken | VaultError> => {
        const step = steps[at]
        at += 1
        if (step === "away") return Effect.fail(new VaultError({ doing: "reach the signer", reason: "gone" }))
        if (step === "broken") return Effect.fail(new AuditBroken({ findings: ["the log was cut"] }))
        newest = step ?? newest
        return Effect.succeed(step ?? null)
      }),
    verify: Effect.sync(() => newest)
  })
}

/** A receiver of anchors that answers with these statuses, then with 204. */
const receiver = Effect.fnUntraced(function* (statuses: ReadonlyArray<number>) {
  const bodies = yield* Queue.unbounded<string>()
  const left = [...statuses]
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      response.writeHead(left.shift() ?? 204).end()
      Queue.offerUnsafe(bodies, Buffer.concat(chunks).toString())
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.promise(() => new Promise<void>((resolve) => server.close(() => resolve())))
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/anchor`, bodies }
})

describe("the keeper of the log", () => {
  it.live("stores what the signer seals through its troubles, and posts the newest seal until it was taken", () =>
    Effect.gen(function* () {
      const { bodies, url } = yield* receiver([500])
      const steps = [sealOf(1), "away" as const, sealOf(2), "broken" as const, sealOf(3)]
      const options = { sealEvery: "1 millis", anchorEvery: "5 millis", anchorUrl: url } as const
      yield* Layer.build(Layer.provide(keeper(options), Layer.succeed(AuditSealer, scripted(steps))))
      const posted: Array<AuditSeal> = []
      while (posted.at(-1)?.number !== 3) posted.push(...readAnchors(yield* Queue.take(bodies)).seals)
      const stored = yield* (yield* AuditSeals).after(0, 10)
      assert.deepStrictEqual(stored, [sealOf(1), sealOf(2), sealOf(3)])
      assert.deepStrictEqual(posted.at(-1), sealOf(3))
      // the first answer was a refusal: that seal came again
      assert.isTrue(posted.length >= 2)
    }).pipe(Effect.provide(Memory.layer))
  )

  it.live("puts no seal down that the signer has not verified, whatever is stored", () =>
    Effect.gen(function* () {
      const put = yield* Queue.unbounded<AuditSeal>()
      const anchors = [{ name: "outside", put: (seal: AuditSeal) => Effect.asVoid(Queue.offer(put, seal)) }]
      const { add } = yield* AuditSeals
      yield* add(sealOf(1))
      const sealer = AuditSealer.of({
        seal: () => Effect.succeed(null),
        // it has read the seals, and looks through the log, when somebody puts another in
        verify: Effect.as(Effect.orDie(add(sealOf(2, "f"))), sealOf(1))
      })
      const options = { sealEvery: "1 hour", anchorEvery: "1 hour", anchors } as const
      yield* Layer.build(Layer.provide(keeper(options), Layer.succeed(AuditSealer, sealer)))
      assert.deepStrictEqual(yield* Queue.take(put), sealOf(1))
    }).pipe(Effect.provide(Memory.layer))
  )

  it.live(
    "puts seals down in every other anchor though one contradicts the database, and tells of each that does",
    () =>
      Effect.gen(function* () {
        const got = yield* Queue.unbounded<number>()
        const contradicting = (name: string) => ({
          name,
          put: () => Effect.fail(new AuditBroken({ findings: [`${name} has others`] }))
        })
        const good = { name: "good", put: ({ number }: AuditSeal) => Effect.asVoid(Queue.offer(got, number)) }
        const anchors = [contradicting("first"), good, contradicting("last")]
        const options = { sealEvery: "1 millis", anchorEvery: "1 millis", anchors } as const
        const told = yield* Queue.unbounded<unknown>()
        const logger = Logger.make(({ fiber, message }) => {
          const reason = fiber.getRef(References.CurrentLogAnnotations)["reason"]
          if (String(message) === "audit.broken") Queue.offerUnsafe(told, reason)
        })
        yield* Layer.build(
          Layer.provide(keeper(options), [Layer.succeed(AuditSealer, scripted([sealOf(1)])), Logger.layer([logger])])
        )
        assert.strictEqual(yield* Queue.take(got), 1)
        assert.strictEqual(yield* Queue.take(told), "first has others last has others")
        // and again at the next anchoring
        assert.strictEqual(yield* Queue.take(got), 1)
      }).pipe(Effect.provide(Memory.layer))
  )
})
