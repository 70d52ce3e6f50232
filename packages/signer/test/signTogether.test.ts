import { SigningRefused, type SignTransaction, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { AuditSealer } from "@bursar/core/port/AuditSealer"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { Vault } from "@bursar/core/port/Vault"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { listenSigner, SignerClient } from "@bursar/signer"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { linesMax } from "../src/rpc/signLines.ts"

const address = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "signer-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (directory) => ({ _tag: "Socket", path: join(directory, "socket") }) as const
)

type Address = Effect.Success<typeof address>

/** A transaction that is known by its only byte. */
const transaction = (byte: number, more: Partial<SignTransaction> = {}): SignTransaction => ({
  tenantId: TenantId("00000000-0000-4000-8000-000000000001"),
  network: "ethereum",
  unsigned: Uint8Array.of(byte),
  signers: [],
  own: [],
  requests: [],
  ...more
})

const byteOf = ({ unsigned }: Pick<SignTransaction, "unsigned">): number => unsigned[0] ?? 0

const nothing = () => Effect.die(new Error("nobody asks for it here"))

const others = Layer.mergeAll(
  Layer.mock(Vault, {}),
  Layer.mock(AuditSealer, { verify: Effect.succeed(null) }),
  Layer.mock(ReserveProver, {})
)

/** A signer at a socket, and the client of it. */
const opened = Effect.fnUntraced(function* (
  sign: TransactionSigner["Service"]["sign"],
  networks: ReadonlyArray<string> = []
) {
  const at = yield* address
  const signer = Layer.succeed(TransactionSigner, TransactionSigner.of({ sign, signed: nothing }))
  yield* Effect.provide(listenSigner({ address: at, networks }), yield* Layer.build(Layer.merge(signer, others)))
  return yield* clientOf(at)
})

const clientOf = (at: Address) =>
  Effect.flatMap(Layer.build(SignerClient.layerTransactionSigner({ address: at })), (context) =>
    Effect.provide(TransactionSigner, context)
  )

/** Somebody else at the socket, who answers as they like. Tells how often they were asked. */
const impostor = Effect.fnUntraced(function* (
  answer: (response: ServerResponse, lines: ReadonlyArray<string>) => void
) {
  const at = yield* address
  let asked = 0
  const server = createServer((request: IncomingMessage, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      asked += 1
      answer(response, Buffer.concat(parts).toString().split("\n"))
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(at.path, () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  return { ...(yield* clientOf(at)), asked: () => asked }
})

const reason = <A, E>(exit: Exit.Exit<A, E>): string =>
  Exit.isFailure(exit) ? String(Option.getOrUndefined(Exit.findErrorOption(exit))) : "signed"

const signed = (at: number, name: string): string =>
  `${JSON.stringify({ at, hash: name, raw: Buffer.from(name).toString("base64") })}\n`

describe("transactions that are brought to a signer together", () => {
  it.live(
    "of networks that nobody knows take no more turns than one network does, and keep none that is known waiting",
    () =>
      Effect.gen(function* () {
        let running = 0
        const answering = yield* Deferred.make<{ readonly hash: string; readonly raw: Uint8Array }>()
        const hanging = Effect.suspend(() => {
          running += 1
          return Deferred.await(answering)
        })
        const untilRunning = (count: number) =>
          Effect.repeat(Effect.sleep("20 millis"), { until: () => running >= count })
        const known = ["ethereum", "tron"]
        const { sign } = yield* opened(
          (asked) => (asked.network === "tron" ? Effect.succeed({ hash: "h", raw: asked.unsigned }) : hanging),
          known
        )
        const madeUp = Array.from({ length: 3 * linesMax }, (_, at) => transaction(1, { network: `made-up-${at}` }))
        yield* Effect.forkScoped(Effect.forEach(madeUp, (one) => Effect.exit(sign(one)), { concurrency: "unbounded" }))
        yield* untilRunning(64)
        yield* Effect.sleep("300 millis")
        assert.strictEqual(running, 64)
        const signed = yield* Effect.timeoutOption(sign(transaction(2, { network: "tron" })), "5 seconds")
        assert.isTrue(Option.isSome(signed))
        yield* Effect.forkScoped(Effect.exit(sign(transaction(3, { network: "ethereum" }))))
        yield* untilRunning(65)
        // a signer that stops waits for what it works on
        yield* Deferred.succeed(answering, { hash: "h", raw: Uint8Array.of(1) })
      }).pipe(Effect.scoped)
  )

  it.live("each get their own answer or refusal, however many there are", () =>
    Effect.gen(function* () {
      const { sign } = yield* opened((asked) =>
        byteOf(asked) % 3 === 0
          ? Effect.fail(new SigningRefused({ network: asked.network, reason: `not ${byteOf(asked)}`, retryAfterMs: 5 }))
          : Effect.succeed({ hash: `hash ${byteOf(asked)}`, raw: asked.unsigned })
      )
      const bytes = Array.from({ length: 2 * linesMax + 7 }, (_, at) => at)
      const answers = yield* Effect.forEach(bytes, (byte) => Effect.exit(sign(transaction(byte))), {
        concurrency: "unbounded"
      })
      for (const [byte, answer] of answers.entries())
        if (Exit.isSuccess(answer)) {
          assert.deepStrictEqual([answer.value.hash, [...answer.value.raw]], [`hash ${byte}`, [byte]])
          assert.notStrictEqual(byte % 3, 0)
        } else {
          const refused = new SigningRefused({ network: "ethereum", reason: `not ${byte}`, retryAfterMs: 5 })
          assert.deepStrictEqual(Option.getOrUndefined(Exit.findErrorOption(answer)), refused)
        }
    })
  )

  it.live("do not wait for one that takes long, nor fail with one that cannot be read or is too long", () =>
    Effect.gen(function* () {
      const [begun, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { sign } = yield* opened((asked) =>
        Effect.as(
          byteOf(asked) === 1
            ? Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(release))
            : Deferred.await(begun),
          { hash: `hash ${byteOf(asked)}`, raw: asked.unsigned }
        )
      )
      const unreadable = transaction(3, { network: "n".repeat(300) })
      const long = transaction(4, { unsigned: new Uint8Array(9 * 2 ** 20) })
      const [slow, quick, failing, refused] = yield* Effect.forEach(
        [transaction(1), transaction(2), unreadable, long],
        (one) => Effect.forkChild(sign(one)),
        {}
      )
      if (slow === undefined || quick === undefined || failing === undefined || refused === undefined)
        return assert.fail("nothing was asked for")
      assert.strictEqual((yield* Fiber.join(quick)).hash, "hash 2")
      assert.match(reason(yield* Fiber.await(failing)), /VaultError/u)
      // nothing is signed for it, and no later try is shorter
      assert.match(reason(yield* Fiber.await(refused)), /SigningRefused.*too long/u)
      assert.isUndefined(slow.pollUnsafe())
      yield* Deferred.succeed(release, undefined)
      assert.strictEqual((yield* Fiber.join(slow)).hash, "hash 1")
      return undefined
    })
  )

  it.live("are answered though the signer dies of one, as of a row that cannot be read", () =>
    Effect.gen(function* () {
      const [died, begun] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { sign } = yield* opened((asked) =>
        byteOf(asked) === 1
          ? Effect.andThen(Deferred.await(begun), Effect.die(new Error("a row that cannot be read"))).pipe(
              Effect.ensuring(Deferred.succeed(died, undefined))
            )
          : Effect.andThen(
              Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(died)),
              Effect.succeed({ hash: `hash ${byteOf(asked)}`, raw: asked.unsigned })
            )
      )
      const answers = yield* Effect.forEach([0, 1, 2, 3], (byte) => Effect.exit(sign(transaction(byte))), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(Exit.isSuccess), [true, false, true, true])
      assert.include(answers.map(reason)[1], "the signer could not work on it")
    })
  )

  it.live("are given the first answer alone, and none that was meant for another place", () =>
    Effect.gen(function* () {
      const { sign } = yield* impostor((response, lines) => {
        for (const [at] of lines.entries()) response.write(signed(at, `first ${at}`) + signed(at, `second ${at}`))
        response.end(signed(lines.length, "for nobody") + signed(-1, "for nobody"))
      })
      const hashes = yield* Effect.forEach([1, 2, 3], (byte) => sign(transaction(byte)), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        hashes.map(({ hash }) => hash),
        ["first 0", "first 1", "first 2"]
      )
    })
  )

  for (const [what, end] of [
    ["breaks off", (response: ServerResponse) => response.destroy()],
    ["ends early", (response: ServerResponse) => response.end()],
    ["breaks off in a line", (response: ServerResponse) => response.end(signed(1, "half").slice(0, 20))],
    ["goes on with what is no answer", (response: ServerResponse) => response.end(`{}\n${signed(1, "late")}`)]
  ] as const)
    it.live(`know nothing of those that were not answered where it ${what}`, () =>
      Effect.gen(function* () {
        const { asked, sign } = yield* impostor((response) => {
          response.write(signed(0, "first"), () => end(response))
        })
        const [first, second] = yield* Effect.forEach([1, 2], (byte) => Effect.exit(sign(transaction(byte))), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(first && Exit.map(first, ({ hash }) => hash), Exit.succeed("first"))
        assert.match(second === undefined ? "" : reason(second), /it does not answer/u)
        // it is for whoever asked to ask again
        assert.strictEqual(asked(), 1)
      })
    )

  it.live("are refused as a whole where there are too many", () =>
    Effect.gen(function* () {
      const { sign } = yield* impostor((response) => {
        response.statusCode = 400
        response.end(signed(0, "all the same"))
      })
      assert.match(reason(yield* Effect.exit(sign(transaction(1)))), /it does not answer/u)
    })
  )
})
