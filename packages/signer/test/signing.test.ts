import { StorageError } from "@bursar/core/engine/StorageError"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Payment, ReplayGuard, TransactionStatus } from "@bursar/core/port/ChainSender"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { makeNetworks, Networks } from "@bursar/core/port/Networks"
import type { HeldTurn } from "@bursar/core/port/SignerTurn"
import { SigningView, type TenantProgress } from "@bursar/core/port/SigningView"
import { AuditBroken, AuditSealer } from "@bursar/core/port/AuditSealer"
import { ProofRefused, ReserveProver } from "@bursar/core/port/ReserveProver"
import { SigningRefused, type SigningRequest, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Vault, VaultError } from "@bursar/core/port/Vault"
import { TenantId } from "@bursar/core/tenant/Tenant"
import {
  layerReadOnly,
  listenSigner,
  makeProgressLook,
  makeTurnLook,
  openStore,
  parseSignerAddress,
  RememberingSigner,
  SignerClient,
  type SignerLimit,
  watchProgress,
  watchTurn
} from "@bursar/signer"
import { logFile, seenFile } from "@bursar/signer/store/SignerDisk"
import * as Memory from "@bursar/memory"
import { emptyState } from "@bursar/memory/Store"
import { makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { givesUp } from "./support/givesUp.ts"
import { requestOf } from "./support/requestOf.ts"

const tenantId = TenantId("00000000-0000-4000-8000-000000000001")

interface Written {
  readonly payments: ReadonlyArray<Omit<Payment, "units"> & { readonly units: string }>
  readonly guard: { readonly sequence: string } | { readonly holding: ReadonlyArray<string> } | null
  readonly validUntil: number | null
  readonly feeMax: string
  readonly note: string
}

const outputOf = (vout: number, units: bigint) => ({ txHash: "made", vout, units, address: "wallet" })

/** What is read of the fake's signatures, which are numbered. */
const signedPayment = (count: number): Payment => ({ to: `signed ${count}`, contract: null, units: 1n, memo: null })

/** A network whose transactions are written as JSON. */
const network = (name: string, status: "Invalidated" | "Pending" | Effect.Effect<never>) => {
  const fake = makeFakeNetwork(name, {
    codec: {
      network: name,
      read: (unsigned) => {
        const read: Written = JSON.parse(Buffer.from(unsigned).toString())
        const guard: ReplayGuard =
          read.guard === null
            ? { _tag: "Expiry" }
            : "holding" in read.guard
              ? { _tag: "Utxos", utxos: read.guard.holding.map((units, vout) => outputOf(vout, BigInt(units))) }
              : { _tag: "Sequence", account: "wallet", sequence: BigInt(read.guard.sequence) }
        return Result.succeed({
          payments: read.payments.map((payment) => ({ ...payment, units: BigInt(payment.units) })),
          feeMax: BigInt(read.feeMax),
          digests: [{ address: "wallet", digest: new Uint8Array(32) }],
          guard,
          validUntil: read.validUntil
        })
      },
      readSigned: ([count = 0]) => Result.succeed({ payments: [signedPayment(count)] }),
      finish: () => Result.fail("the fake signs nothing")
    }
  })
  if (typeof status !== "string") return { ...fake, sender: { ...fake.sender, status: () => status } }
  const answer: TransactionStatus =
    status === "Pending"
      ? { _tag: "Pending", known: true }
      : { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "its time is over" }
  return { ...fake, sender: { ...fake.sender, status: () => Effect.succeed(answer) } }
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "signer-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** What is done before the next transactions are signed, in order. */
type Before = Array<Effect.Effect<void, SigningRefused>>

/** Signs whatever it is given: what is refused here is refused by the memory around it, or before. */
const signsAll = (before: Before) =>
  Layer.sync(TransactionSigner, () => {
    let count = 0
    return TransactionSigner.of({
      signed: () => Effect.succeed([]),
      sign: () =>
        Effect.gen(function* () {
          yield* before.shift() ?? Effect.void
          count += 1
          return { hash: `hash ${count}`, raw: Uint8Array.of(count) }
        })
    })
  })

const openSigner = Effect.fnUntraced(function* (
  options: {
    readonly directory?: string
    readonly database?: { progress: TenantProgress | undefined; isAway?: boolean }
    readonly turn?: HeldTurn
    readonly isAlone?: () => boolean
    readonly status?: "Invalidated" | "Pending" | Effect.Effect<never>
    readonly limits?: ReadonlyArray<SignerLimit>
    readonly proving?: ReadonlyArray<string>
    readonly requestAgeMaxMs?: number
    readonly topUpsPerDay?: number
    readonly ownFeesPerDay?: number
    readonly grantedLimits?: () => ReadonlyArray<SignerLimit> | undefined
  } = {}
) {
  const {
    database: given,
    directory: _directory,
    limits = [],
    turn = { isHeld: () => true, taken: () => 1 },
    proving = ["tron"],
    status = "Invalidated",
    ...others
  } = options
  const directory = options.directory ?? (yield* folder)
  const progress = { changeSeq: 5n, eventId: 5n, postingSeq: 5n }
  const database: { progress: TenantProgress | undefined; isAway?: boolean } = given ?? { progress }
  const view = SigningView.of({
    progress: () => Effect.sync(() => database.progress),
    progressOfAll: Effect.suspend(() =>
      database.isAway === true
        ? Effect.fail(new StorageError({ doing: "read", cause: new Error("the database is away") }))
        : Effect.succeed(new Map<TenantId, TenantProgress>(database.progress ? [[tenantId, database.progress]] : []))
    ),
    onPrimary: (effect) => effect,
    newestSignatures: () => Effect.succeed([]),
    openSignatures: () => Effect.succeed([]),
    answeredRequests: () => Effect.succeed([])
  })
  const store = yield* openStore({ directory }, view)
  const before: Before = []
  const { isAlone, look } = makeTurnLook(store, turn)
  const layer = RememberingSigner.layer({ currencies: defaultCurrencies, store, limits, proving, ...others }).pipe(
    Layer.provide([
      Layer.fresh(signsAll(before)),
      Layer.succeed(SigningView, view),
      Layer.succeed(
        Networks,
        makeNetworks(
          ["ethereum", "tron", "bitcoin"].map((name) => network(name, status)),
          []
        )
      )
    ])
  )
  const { sign, signed } = yield* Effect.provide(TransactionSigner, layer)
  const ports = Layer.merge(Layer.succeed(SigningView, view), Memory.layerOver(emptyState()))
  /** A person says that the database was restored. */
  const restored = (givingUp: number) => Effect.provide(givesUp(store, givingUp), ports)
  /** The look at the start, and of each turn. */
  const lookInTurn = Effect.provide(look, ports)
  /** The look of every few minutes at how far tenants have come. */
  const lookAtProgress = Effect.provideService(makeProgressLook(store), SigningView, view)
  return { before, sign, signed, database, directory, restored, look: lookInTurn, isAlone, lookAtProgress, store, view }
})

let notes = 0

const transaction = (
  given: {
    readonly network?: string
    readonly requests?: ReadonlyArray<SigningRequest>
    readonly to?: string
    readonly units?: bigint
    readonly contract?: string | null
    readonly sequence?: number | null
    readonly validUntil?: number
    readonly note?: string
    readonly feeMax?: bigint
    readonly own?: "Wallet" | "Issued" | "Imported"
    /** What it says of the outputs that it spends. */
    readonly holding?: ReadonlyArray<string>
  } = {}
) => {
  const { contract = null, own, requests = [], sequence = 1, to = "receiver", units = 1n, validUntil = null } = given
  notes += 1
  const written: Written = {
    payments: [{ to, contract, units: `${units}`, memo: null }],
    guard: given.holding ? { holding: given.holding } : sequence === null ? null : { sequence: `${sequence}` },
    validUntil,
    feeMax: `${given.feeMax ?? 1n}`,
    note: given.note ?? `${notes}`
  }
  const seed = { tenantId, seedId: "seed", network: given.network ?? "ethereum", index: 0 }
  const key =
    own === undefined
      ? []
      : [
          {
            address: to,
            key:
              own === "Imported"
                ? ({ _tag: own, tenantId, keyId: "key", network: seed.network } as const)
                : ({ _tag: own, ...seed } as const)
          }
        ]
  return {
    tenantId,
    network: given.network ?? "ethereum",
    unsigned: Buffer.from(JSON.stringify(written)),
    signers: [],
    own: key,
    requests
  }
}

const reasonOf = <A>(effect: Effect.Effect<A, unknown>) =>
  Effect.map(Effect.flip(effect), (error) =>
    error instanceof SigningRefused || error instanceof VaultError ? `${error._tag}: ${error.reason}` : String(error)
  )

/** A transaction that says of its outputs what they hold. */
const said = (...holding: ReadonlyArray<string>) =>
  transaction({ network: "bitcoin", own: "Wallet", holding, note: "" })

describe("a signer with a memory", () => {
  it.live("gives all who ask for the very same at the same moment one answer", () =>
    Effect.gen(function* () {
      const { sign } = yield* openSigner()
      const asked = transaction({ requests: [requestOf("the same")] })
      const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => sign(asked), { concurrency: "unbounded" })
      assert.lengthOf(new Set(answers.map(({ hash }) => hash)), 1)
      assert.lengthOf(new Set(answers.map(({ raw }) => raw.join())), 1)
    })
  )

  it.live("signs a transaction by one word of what its outputs hold", () =>
    Effect.gen(function* () {
      const { sign } = yield* openSigner()
      yield* sign(said("700", "1"))
      assert.match(yield* reasonOf(sign(said("1", "700"))), /SigningRefused: .* other amounts were said/u)
      yield* sign(said("700", "1"))
      yield* sign(said("700", "1", "1"))
      const both = [said("5", "6"), said("6", "5")]
      const other = yield* openSigner()
      const answers = yield* Effect.forEach(both, (one) => Effect.option(other.sign(one)), { concurrency: "unbounded" })
      assert.lengthOf(
        answers.filter(({ _tag }) => _tag === "Some"),
        1
      )
    })
  )

  it.live("remembers what was said of outputs when it is started again", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.scoped(Effect.flatMap(openSigner({ directory }), ({ sign }) => sign(said("700", "1"))))
      const { sign } = yield* openSigner({ directory })
      assert.match(yield* reasonOf(sign(said("1", "700"))), /SigningRefused: .* other amounts were said/u)
    })
  )

  it.live(
    "signs for one request once: again only what excludes the first, and the same bytes get the same answer",
    () =>
      Effect.gen(function* () {
        const { directory, sign } = yield* Effect.scoped(
          Effect.gen(function* () {
            const opened = yield* openSigner({
              directory: yield* Effect.sync(() => mkdtempSync(join(tmpdir(), "signer-")))
            })
            const first = transaction({ requests: [requestOf("a")] })
            const { hash } = yield* opened.sign(first)
            assert.strictEqual((yield* opened.sign(first)).hash, hash)
            const bumped = yield* opened.sign(transaction({ requests: [requestOf("a")] }))
            assert.notStrictEqual(bumped.hash, hash)
            const elsewhere = transaction({ requests: [requestOf("a")], sequence: 2 })
            assert.match(
              yield* reasonOf(opened.sign(elsewhere)),
              /SigningRefused: a request of it was signed for in hash/u
            )
            return opened
          })
        )
        assert.isDefined(sign)
        // after a restart it knows the same
        const again = yield* openSigner({ directory })
        const elsewhere = transaction({ requests: [requestOf("a")], sequence: 3 })
        assert.match(yield* reasonOf(again.sign(elsewhere)), /a request of it was signed for in hash/u)
        rmSync(directory, { recursive: true, force: true })
      })
  )

  it.live(
    "gives the bytes again that got lost, also after a restart, and signs nothing in their place until they are known",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const guard = { _tag: "Sequence" as const, account: "wallet", sequence: BigInt(1) }
        const [requests, others] = [[requestOf("a")], [requestOf("b")]]
        const asked = { tenantId, network: "ethereum", guard, requests }
        const lost = yield* Effect.scoped(
          Effect.flatMap(openSigner({ directory }), ({ sign }) => sign(transaction({ requests })))
        )
        const { sign, signed } = yield* openSigner({ directory })
        const anew = { ...transaction({ requests }), known: [] }
        assert.match(
          yield* reasonOf(sign(anew)),
          new RegExp(`signed for in ${lost.hash}, which the service does not have`, "u")
        )
        const moves = { payments: [signedPayment(1)], trustlines: [] }
        const given = { ...lost, raw: Uint8Array.from(lost.raw), validUntil: null, feeMax: 1n, moves }
        const same = (yield* signed(asked)).map((one) => ({ ...one, raw: Uint8Array.from(one.raw) }))
        assert.deepStrictEqual(same, [{ ...given, shares: "same" }])
        const sharing = (of: Partial<typeof asked>) =>
          Effect.map(signed({ ...asked, ...of }), (all) => all.map(({ shares }) => shares))
        assert.deepStrictEqual(yield* sharing({ requests: others }), ["guard"])
        assert.deepStrictEqual(yield* sharing({ guard: { ...guard, sequence: 2n } }), ["requests"])
        assert.deepStrictEqual(yield* sharing({ guard: { ...guard, sequence: 2n }, requests: others }), [])
        assert.deepStrictEqual(yield* sharing({ network: "tron" }), [])
        const stranger = TenantId("00000000-0000-4000-8000-000000000002")
        assert.deepStrictEqual(yield* sharing({ tenantId: stranger }), [])
        // once it is known it may be replaced
        const bumped = yield* sign({ ...anew, known: [lost.hash] })
        assert.deepStrictEqual(
          (yield* signed(asked)).map(({ hash }) => hash),
          [lost.hash, bumped.hash]
        )
      })
  )

  it.live("says of a batch that it was signed for the payment that is asked about, whatever both spend", () =>
    Effect.gen(function* () {
      const { sign, signed } = yield* openSigner()
      const requests = [requestOf("a")]
      yield* sign(transaction({ network: "bitcoin", requests, holding: ["5", "6"] }))
      const asked = { tenantId, network: "bitcoin", requests }
      const shared = (vout: number, of: Partial<typeof asked> = {}) =>
        Effect.map(signed({ ...asked, ...of, guard: { _tag: "Utxos", utxos: [outputOf(vout, 5n)] } }), (all) =>
          all.map(({ guardToo, shares }) => ({ guardToo, shares }))
        )
      assert.deepStrictEqual(yield* shared(0), [{ guardToo: true, shares: "requests" }])
      assert.deepStrictEqual(yield* shared(2), [{ guardToo: undefined, shares: "requests" }])
      assert.deepStrictEqual(yield* shared(0, { requests: [requestOf("b")] }), [
        { guardToo: undefined, shares: "guard" }
      ])
    })
  )

  it.live("signs for a request of one tenant once, where another whose partner has the same key comes with it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const [request, other] = [requestOf("a"), requestOf("b")]
      const stranger = TenantId("00000000-0000-4000-8000-000000000002")
      const elsewhere = (one: typeof request, sequence = 9) => ({
        ...transaction({ requests: [one], sequence }),
        tenantId: stranger
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { sign } = yield* openSigner({ directory })
          yield* sign(transaction({ requests: [request] }))
          assert.match(yield* reasonOf(sign(elsewhere(request))), /signed for before, for another tenant/u)
          yield* sign(elsewhere(other))
        })
      )
      const { sign } = yield* openSigner({ directory })
      assert.match(yield* reasonOf(sign(elsewhere(request, 10))), /signed for before, for another tenant/u)
      assert.match(
        yield* reasonOf(sign(transaction({ requests: [other], sequence: 2 }))),
        /signed for before, for another tenant/u
      )
      // both may be replaced where they were signed for
      yield* sign(transaction({ requests: [request] }))
      yield* sign(elsewhere(other))
    })
  )

  it.live("signs nothing by limits that it no longer knows, and asks for it to be looked at again", () =>
    Effect.gen(function* () {
      let known = false
      const { sign } = yield* openSigner({ grantedLimits: () => (known ? [] : undefined) })
      const asked = transaction({ requests: [requestOf("a")] })
      const refused = yield* Effect.flip(sign(asked))
      assert.isTrue(refused instanceof SigningRefused && refused.retryAfterMs !== undefined)
      known = true
      yield* sign(asked)
    })
  )

  it.live("signs one of many that come at the same time for the same request", () =>
    Effect.gen(function* () {
      const { sign } = yield* openSigner()
      const all = Array.from({ length: 20 }, (_, n) => transaction({ requests: [requestOf("a")], sequence: n }))
      const results = yield* Effect.forEach(all, (one) => Effect.result(sign(one)), { concurrency: "unbounded" })
      assert.lengthOf(results.filter(Result.isSuccess), 1)
    })
  )

  it.live("signs one of them too, after however many steps their fibers take turns", () =>
    Effect.gen(function* () {
      for (let steps = 3; steps < 40; steps += 1) {
        const { sign } = yield* openSigner()
        const all = Array.from({ length: 5 }, (_, n) => transaction({ requests: [requestOf("a")], sequence: n }))
        const results = yield* Effect.forEach(all, (one) => Effect.result(sign(one)), {
          concurrency: "unbounded"
        }).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, steps))
        assert.lengthOf(results.filter(Result.isSuccess), 1, `${steps} steps`)
      }
    })
  )

  it.live("refuses a key with another body, one request for two payments, and requests that pay nobody", () =>
    Effect.gen(function* () {
      const { sign } = yield* openSigner()
      yield* sign(transaction({ requests: [requestOf("a")] }))
      const other = transaction({ requests: [requestOf("a", "another body")] })
      assert.match(yield* reasonOf(sign(other)), /signed with another body/u)
      assert.match(yield* reasonOf(sign(transaction({ requests: [] }))), /it pays 1 others, and comes with 0/u)
      const spare = transaction({ requests: [requestOf("b"), requestOf("c")] })
      assert.match(yield* reasonOf(sign(spare)), /it pays 1 others, and comes with 2/u)
    })
  )

  it.live(
    "where a transaction expires, gives the same answer until then, and signs anew only after the chain's proof",
    () =>
      Effect.gen(function* () {
        const tron = (validUntil: number) =>
          transaction({ network: "tron", requests: [requestOf("a")], sequence: null, validUntil })
        const now = Date.now()
        const open = yield* openSigner()
        const { hash } = yield* open.sign(tron(now + 60_000))
        // its answer was lost, and the transaction was built anew
        assert.strictEqual((yield* open.sign(tron(now + 70_000))).hash, hash)
        for (const [options, reason] of [
          [{ status: "Pending" }, /may still take effect/u],
          [{ proving: [] }, /give the signer a node of tron/u]
        ] as const) {
          const { sign } = yield* openSigner(options)
          yield* sign(tron(now - 120_000))
          assert.match(yield* reasonOf(sign(tron(now + 60_000))), reason)
        }
        const late = yield* openSigner()
        yield* late.sign(tron(now - 30_000))
        assert.match(yield* reasonOf(late.sign(tron(now + 60_000))), /has not expired/u)
        const proven = yield* openSigner()
        const first = yield* proven.sign(tron(now - 120_000))
        assert.notStrictEqual((yield* proven.sign(tron(now + 60_000))).hash, first.hash)
      })
  )

  it.effect("says which node is silent where its own does not answer, before the request has taken too long", () =>
    Effect.gen(function* () {
      const now = Date.now()
      yield* TestClock.setTime(now)
      const asked = yield* Deferred.make<void>()
      const status = Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      const { sign } = yield* openSigner({ status })
      const tron = (validUntil: number) =>
        transaction({ network: "tron", requests: [requestOf("a")], sequence: null, validUntil })
      yield* sign(tron(now - 120_000))
      const again = yield* Effect.forkChild(reasonOf(sign(tron(now + 60_000))))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("15 seconds")
      assert.match(yield* Fiber.join(again), /VaultError: .*the signer's node of tron does not answer/u)
    })
  )

  it.live("stops for good when the database shows less than before", () =>
    Effect.gen(function* () {
      const { database, sign } = yield* openSigner()
      yield* sign(transaction({ requests: [requestOf("a")] }))
      database.progress = { changeSeq: 5n, eventId: 4n, postingSeq: 9n }
      const next = transaction({ requests: [requestOf("b")] })
      assert.match(yield* reasonOf(sign(next)), /VaultError: the database was rolled back/u)
      database.progress = { changeSeq: 6n, eventId: 6n, postingSeq: 9n }
      assert.match(yield* reasonOf(sign(next)), /VaultError: the database was rolled back/u)
    })
  )

  it.live("hands no signature out that was under way when the rollback was noticed", () =>
    Effect.gen(function* () {
      const { before, database, lookAtProgress, sign, store } = yield* openSigner()
      yield* lookAtProgress
      before.push(
        Effect.suspend(() => {
          database.progress = { changeSeq: 4n, eventId: 4n, postingSeq: 4n }
          return Effect.orDie(lookAtProgress)
        })
      )
      const asked = transaction({ requests: [requestOf("a")] })
      assert.match(yield* reasonOf(sign(asked)), /VaultError: the database was rolled back: tenant .* had come/u)
      assert.isFalse(store.register.knows(asked.network, "hash 1"))
    })
  )

  it.live("signs again after a rollback by a person's word alone, and nothing that it has signed for", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const database: { progress: TenantProgress | undefined } = {
        progress: { changeSeq: 50n, eventId: 50n, postingSeq: 50n }
      }
      const [paid, next] = [
        transaction({ requests: [requestOf("a")] }),
        transaction({ requests: [requestOf("b")], sequence: 2 })
      ]
      const run = <A, E>(use: (signer: Effect.Success<ReturnType<typeof openSigner>>) => Effect.Effect<A, E>) =>
        Effect.scoped(Effect.flatMap(openSigner({ directory, database }), use))
      const { hash } = yield* run(({ sign }) => sign(paid))
      database.progress = { changeSeq: 7n, eventId: 7n, postingSeq: 7n }
      // nobody asks for a signature: the start alone has to show it, before the counters have run on
      yield* run(({ look }) => look)
      database.progress = { changeSeq: 60n, eventId: 60n, postingSeq: 60n }
      yield* run(({ look, restored, sign }) =>
        Effect.gen(function* () {
          yield* look
          assert.match(yield* reasonOf(sign(next)), /the database was rolled back.*--restored/u)
          // the counters have passed what was seen of them, and that proves nothing
          const { isTaken, lost, name } = yield* restored(0)
          assert.isFalse(isTaken)
          assert.match(lost.join(), /^at 20.* noticed that tenant .* had come further: /u)
          assert.deepStrictEqual(yield* restored(1), { lost, name, isTaken: true })
          yield* sign(next)
        })
      )
      yield* run(({ look, sign }) =>
        Effect.gen(function* () {
          yield* look
          assert.match(
            yield* reasonOf(sign(transaction({ requests: [requestOf("a")], sequence: 3 }))),
            /a request of it was signed for in .*, which it does not replace/u
          )
          assert.strictEqual((yield* sign(paid)).hash, hash)
        })
      )
    })
  )

  it.live("sees a rollback to after the last signature of a tenant, or of one for which nothing was ever signed", () =>
    Effect.gen(function* () {
      const count = (of: bigint): TenantProgress => ({ changeSeq: of, eventId: of, postingSeq: of })
      for (const signsFirst of [true, false])
        for (const looksAgain of [true, false]) {
          const directory = yield* folder
          const database: { progress: TenantProgress | undefined } = { progress: count(50n) }
          const run = <A, E>(use: (signer: Effect.Success<ReturnType<typeof openSigner>>) => Effect.Effect<A, E>) =>
            Effect.scoped(Effect.flatMap(openSigner({ directory, database }), use))
          if (signsFirst) yield* run(({ sign }) => sign(transaction({ requests: [requestOf("a")] })))
          database.progress = count(80n)
          yield* run(({ look, lookAtProgress }) => Effect.andThen(look, lookAtProgress))
          database.progress = count(60n)
          yield* run(({ look, lookAtProgress }) => (looksAgain ? lookAtProgress : look))
          // it has come further again, and that changes nothing
          database.progress = count(90n)
          yield* run(({ restored, sign }) =>
            Effect.gen(function* () {
              const next = transaction({ requests: [requestOf("b")], sequence: 2 })
              assert.match(yield* reasonOf(sign(next)), /VaultError: the database was rolled back: tenant .* had come/u)
              assert.isTrue((yield* restored(1)).isTaken)
              yield* sign(next)
            })
          )
        }
    })
  )

  it.live(
    "signs nothing once its turn was lost and taken again until it has looked whether the database was rolled back",
    () =>
      Effect.gen(function* () {
        const count = (of: bigint): TenantProgress => ({ changeSeq: of, eventId: of, postingSeq: of })
        let [isHeld, taken] = [true, 1]
        const turn: HeldTurn = { isHeld: () => isHeld, taken: () => taken }
        const database: { progress: TenantProgress | undefined; isAway?: boolean } = { progress: count(80n) }
        const { isAlone, look, lookAtProgress, store } = yield* openSigner({ database, turn })
        assert.isFalse(isAlone())
        yield* look
        assert.isTrue(isAlone())
        yield* lookAtProgress
        isHeld = false
        assert.isFalse(isAlone())
        // it was restored meanwhile, and has the same turn to give
        ;[isHeld, taken] = [true, 2]
        database.progress = count(60n)
        assert.isFalse(isAlone())
        database.isAway = true
        assert.strictEqual((yield* Effect.flip(look))._tag, "StorageError")
        assert.isFalse(isAlone(), "a look that failed is none")
        database.isAway = false
        yield* look
        assert.isTrue(isAlone())
        assert.match(store.register.rolledBack()?.what ?? "", /had come further/u)
      })
  )

  it.live("hands nothing out, and says nothing of what it has signed, while another signer may have the turn", () =>
    Effect.gen(function* () {
      let isAlone = true
      const { before, sign, signed, store } = yield* openSigner({ isAlone: () => isAlone })
      const asked = transaction({ requests: [requestOf("a")] })
      const told = signed({ ...asked, guard: { _tag: "Sequence", account: "wallet", sequence: 1n } })
      before.push(Effect.sync(() => void (isAlone = false)))
      assert.match(yield* reasonOf(sign(asked)), /another signer may be signing/u)
      assert.isFalse(store.register.knows(asked.network, "hash 1"), "the key was slow")
      isAlone = true
      // asked at the start, before the entry is written, and once the disk has it
      let count = 0
      const slowDisk = yield* openSigner({ isAlone: () => (count += 1) < 3 })
      assert.match(yield* reasonOf(slowDisk.sign(asked)), /another signer may be signing/u)
      assert.isTrue(slowDisk.store.register.knows(asked.network, "hash 1"), "the disk was slow")
      yield* sign(asked)
      assert.lengthOf(yield* told, 1)
      isAlone = false
      assert.match(yield* reasonOf(told), /another signer may be signing/u)
    })
  )

  it.effect("repeats the look of every ten minutes soon where the database was away", () =>
    Effect.gen(function* () {
      const database: { progress: TenantProgress | undefined; isAway?: boolean } = { progress: undefined, isAway: true }
      const { store, view } = yield* openSigner({ database })
      let [asked, answered] = [0, 0]
      const counting = SigningView.of({
        ...view,
        progressOfAll: Effect.suspend(() => {
          asked += 1
          return Effect.tap(view.progressOfAll, () => Effect.sync(() => void (answered += 1)))
        })
      })
      yield* Effect.forkScoped(Effect.provideService(watchProgress(store), SigningView, counting))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([asked, answered], [1, 0])
      database.isAway = false
      yield* TestClock.adjust("10 seconds")
      assert.isAbove(answered, 0)
    })
  )

  it.effect("repeats a look that came upon a row that cannot be read, at tenants and in its turn", () =>
    Effect.gen(function* () {
      const { look, isAlone, store, view } = yield* openSigner()
      let [isUnreadable, looked] = [true, false]
      const poisoned = SigningView.of({
        ...view,
        progressOfAll: Effect.suspend(() => {
          looked = !isUnreadable
          return isUnreadable ? Effect.die(new Error("no counter")) : view.progressOfAll
        })
      })
      yield* Effect.forkScoped(Effect.provideService(watchProgress(store), SigningView, poisoned))
      const inTurn = Effect.suspend(() => (isUnreadable ? Effect.die(new Error("no counter")) : look))
      yield* Effect.forkScoped(watchTurn({ look: inTurn }))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([looked, isAlone()], [false, false])
      isUnreadable = false
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([looked, isAlone()], [true, true])
    })
  )

  it.live(
    "writes how far tenants have come beside its log, which does not grow by it, and where one has moved alone",
    () =>
      Effect.gen(function* () {
        const { database, directory, lookAtProgress } = yield* openSigner()
        const path = join(directory, seenFile)
        const size = () => statSync(join(directory, logFile)).size
        const before = size()
        yield* lookAtProgress
        const { ino } = statSync(path)
        yield* lookAtProgress
        assert.strictEqual(statSync(path).ino, ino)
        const text = readFileSync(path, "utf8")
        database.progress = { changeSeq: 5n, eventId: 6n, postingSeq: 5n }
        yield* lookAtProgress
        assert.notStrictEqual(readFileSync(path, "utf8"), text)
        assert.strictEqual(size(), before)
      })
  )

  it.live("sees less where what it has seen is lost, broken, old or another store's, and signs", () =>
    Effect.gen(function* () {
      const count = (of: bigint): TenantProgress => ({ changeSeq: of, eventId: of, postingSeq: of })
      const directory = yield* folder
      const path = join(directory, seenFile)
      const database: { progress: TenantProgress | undefined } = { progress: count(50n) }
      const behind = Effect.scoped(
        Effect.flatMap(openSigner({ directory, database }), ({ look, sign }) =>
          Effect.andThen(look, Effect.result(sign(transaction({ requests: [requestOf("a")] }))))
        )
      ).pipe(Effect.map(Result.isFailure))
      const see = Effect.scoped(
        Effect.flatMap(openSigner({ directory, database }), ({ lookAtProgress }) => lookAtProgress)
      )
      yield* see
      const old = readFileSync(path, "utf8")
      database.progress = count(80n)
      yield* see
      const newest = readFileSync(path, "utf8")
      database.progress = count(60n)
      for (const text of ["", newest.slice(0, -9), newest.replace('"store":"', '"store":"another '), old]) {
        writeFileSync(path, text)
        assert.isFalse(yield* behind)
      }
      rmSync(path)
      assert.isFalse(yield* behind)
      writeFileSync(path, newest)
      assert.isTrue(yield* behind)
    })
  )

  it.live("forgets what was given up, though what it has seen is put back as it was, and nothing else", () =>
    Effect.gen(function* () {
      const count = (of: bigint): TenantProgress => ({ changeSeq: of, eventId: of, postingSeq: of })
      const directory = yield* folder
      const path = join(directory, seenFile)
      const database: { progress: TenantProgress | undefined } = { progress: count(80n) }
      const run = <A, E>(use: (signer: Effect.Success<ReturnType<typeof openSigner>>) => Effect.Effect<A, E>) =>
        Effect.scoped(Effect.flatMap(openSigner({ directory, database }), use))
      yield* run(({ lookAtProgress }) => lookAtProgress)
      const before = readFileSync(path, "utf8")
      database.progress = count(60n)
      assert.isTrue((yield* run(({ restored }) => restored(1))).isTaken)
      const after = readFileSync(path, "utf8")
      database.progress = count(50n)
      assert.lengthOf((yield* run(({ restored }) => restored(0))).lost, 1, "what was taken counts at once")
      database.progress = count(60n)
      for (const text of [after, before]) {
        writeFileSync(path, text)
        yield* run(({ look, sign }) => Effect.andThen(look, sign(transaction({ requests: [requestOf("a")] }))))
      }
    })
  )

  it.live("takes lower counters of a restored database for the newest, and stops where it is rolled back again", () =>
    Effect.gen(function* () {
      const { database, restored, sign } = yield* openSigner()
      yield* sign(transaction({ requests: [requestOf("a")] }))
      database.progress = { changeSeq: 3n, eventId: 3n, postingSeq: 3n }
      const next = transaction({ requests: [requestOf("b")], sequence: 2 })
      assert.match(yield* reasonOf(sign(next)), /the database was rolled back/u)
      for (const wrong of [0, 1, 3]) {
        const { isTaken, lost } = yield* restored(wrong)
        assert.isFalse(isTaken)
        assert.match(lost.join(), /^tenant .* had come to change 5, event 5 and posting 5, and is at change 3/u)
        assert.match(yield* reasonOf(sign(next)), /the database was rolled back/u, "a list gives up nothing")
      }
      assert.isTrue((yield* restored(2)).isTaken)
      assert.deepInclude(yield* restored(0), { lost: [], isTaken: true })
      yield* sign(next)
      database.progress = { changeSeq: 2n, eventId: 2n, postingSeq: 2n }
      assert.match(
        yield* reasonOf(sign(transaction({ requests: [requestOf("c")], sequence: 3 }))),
        /the database was rolled back/u
      )
    })
  )

  it.live("pays the tenant's wallets anything, and its other addresses a little coin for fees", () =>
    Effect.gen(function* () {
      const { sign } = yield* openSigner()
      const contract = defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null
      yield* sign(transaction({ to: "w", own: "Wallet", contract, units: 10n ** 12n }))
      for (const own of ["Issued", "Imported"] as const) {
        yield* sign(transaction({ to: "x", own, units: 10n ** 15n }))
        assert.match(yield* reasonOf(sign(transaction({ to: "x", own, contract }))), /none of the tenant's wallets/u)
        assert.match(yield* reasonOf(sign(transaction({ to: "x", own, units: 10n ** 18n }))), /at most/u)
      }
    })
  )

  it.live("believes nobody who calls another's key a wallet's too", () =>
    Effect.gen(function* () {
      const { sign } = yield* openSigner()
      const wallet = transaction({ to: "x", own: "Wallet" }).own
      for (const own of ["Issued", "Imported"] as const) {
        const asked = transaction({ to: "x", own, units: 10n ** 18n })
        for (const both of [
          [...asked.own, ...wallet],
          [...wallet, ...asked.own]
        ]) {
          assert.match(yield* reasonOf(sign({ ...asked, own: both })), /at most/u)
          assert.match(yield* reasonOf(sign({ ...asked, own: asked.own, signers: wallet })), /at most/u)
        }
      }
    })
  )

  it.live("goes on where somebody asks for a tenant that is none", () =>
    Effect.gen(function* () {
      const { database, sign } = yield* openSigner()
      const { progress } = database
      database.progress = undefined
      const next = transaction({ requests: [requestOf("a")] })
      assert.match(yield* reasonOf(sign(next)), /SigningRefused: there is no such tenant/u)
      database.progress = progress
      yield* sign(next)
      database.progress = undefined
      assert.match(yield* reasonOf(sign(next)), /VaultError: the database was rolled back/u)
    })
  )

  it.live("counts limits by itself, across restarts, and a replacement counts for nothing", () =>
    Effect.gen(function* () {
      const limits: ReadonlyArray<SignerLimit> = [
        { currency: "ETH", network: "ethereum", contract: null, units: 10n, period: "hour" }
      ]
      const directory = yield* folder
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { sign } = yield* openSigner({ directory, limits })
          yield* sign(transaction({ requests: [requestOf("a")], units: 8n }))
          yield* sign(transaction({ requests: [requestOf("a")], units: 8n }))
        })
      )
      const { sign } = yield* openSigner({ directory, limits })
      const three = transaction({ requests: [requestOf("b")], units: 3n, sequence: 2 })
      assert.match(yield* reasonOf(sign(three)), /the signer's limit for ETH is 10 base units per hour; 8 were signed/u)
      yield* sign(transaction({ requests: [requestOf("c")], units: 2n, sequence: 2 }))
    })
  )

  it.live("limits a single payment too", () =>
    Effect.gen(function* () {
      const limit = { currency: "ETH", network: "ethereum", contract: null, units: 10n, period: "payment" } as const
      const { sign } = yield* openSigner({ limits: [limit] })
      const eleven = transaction({ requests: [requestOf("a")], units: 11n })
      assert.match(yield* reasonOf(sign(eleven)), /10 base units per payment; 11 are asked for/u)
      yield* sign(transaction({ requests: [requestOf("b")], units: 10n }))
      yield* sign(transaction({ requests: [requestOf("c")], units: 10n, sequence: 2 }))
    })
  )

  it.live("counts what is signed anew after the first has expired, in the place of the first", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const limitOf = (units: bigint, period: "hour" | "payment"): SignerLimit => ({
        currency: "TRX",
        network: "tron",
        contract: null,
        units,
        period
      })
      const tron = (key: string, units: bigint, validUntil: number) =>
        transaction({ network: "tron", requests: [requestOf(key)], units, sequence: null, validUntil })
      const now = Date.now()
      yield* Effect.scoped(Effect.flatMap(openSigner({ directory }), ({ sign }) => sign(tron("a", 8n, now - 120_000))))
      // a limit that was lowered since counts for it too
      const again = tron("a", 8n, now + 60_000)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { sign } = yield* openSigner({ directory, limits: [limitOf(7n, "payment")] })
          assert.match(yield* reasonOf(sign(again)), /7 base units per payment; 8 are asked for/u)
        })
      )
      const { sign } = yield* openSigner({ directory, limits: [limitOf(10n, "hour")] })
      yield* sign(again)
      assert.match(yield* reasonOf(sign(tron("b", 3n, now + 60_000))), /10 base units per hour; 8 were signed/u)
      yield* sign(tron("c", 2n, now + 60_000))
    })
  )

  describe("on a network whose transactions have a number and expire too", () => {
    const stellarLike = (key: string, sequence: number, validUntil: number, created?: number) =>
      transaction({ network: "tron", requests: [requestOf(key, "body", created)], units: 100n, sequence, validUntil })
    const limitOf = (period: "day" | "payment", units: bigint): SignerLimit => ({
      currency: "TRX",
      network: "tron",
      contract: null,
      period,
      units
    })
    const minute = 60_000

    it.live("judges what takes the place of an expired one as the first: by its age and by the limits of then", () =>
      Effect.gen(function* () {
        const [directory, now] = [yield* folder, Date.now()]
        const created = now - 120 * minute
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { sign } = yield* openSigner({ directory })
            yield* sign(stellarLike("old", 1, now - 1, created))
            yield* sign(stellarLike("much", 2, now - 1))
            yield* sign(stellarLike("in time", 3, now + 10 * minute, created))
          })
        )
        const { sign } = yield* openSigner({
          directory,
          requestAgeMaxMs: 60 * minute,
          grantedLimits: () => [limitOf("payment", 99n)]
        })
        assert.match(yield* reasonOf(sign(stellarLike("old", 1, now + 10 * minute, created))), /signed 2 hours ago/u)
        assert.match(yield* reasonOf(sign(stellarLike("much", 2, now + 10 * minute))), /99 base units per payment/u)
        yield* sign(stellarLike("in time", 3, now + 20 * minute, created))
      })
    )

    it.live("counts it once, where it stands and in the place of the expired one", () =>
      Effect.gen(function* () {
        const [directory, now] = [yield* folder, Date.now()]
        const within = { directory, limits: [limitOf("day", 250n)] }
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { sign } = yield* openSigner(within)
            yield* sign(stellarLike("a", 1, now - 3))
            yield* sign(stellarLike("a", 1, now - 2))
            yield* sign(stellarLike("b", 2, now - 1))
            yield* sign(stellarLike("b", 2, now + 10 * minute))
          })
        )
        const { sign } = yield* openSigner(within)
        assert.match(yield* reasonOf(sign(stellarLike("c", 3, now + 10 * minute))), /250 base units per day; 200 were/u)
        yield* sign(stellarLike("a", 1, now + 10 * minute))
      })
    )

    it.live("counts it though the expired one is proven void while it is signed", () =>
      Effect.gen(function* () {
        const now = Date.now()
        const { before, sign } = yield* openSigner({ grantedLimits: () => [limitOf("day", 150n)] })
        yield* sign(stellarLike("a", 1, now - 2 * minute))
        const [begun, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        before.push(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(release)))
        const replacing = yield* Effect.forkChild(sign(stellarLike("a", 1, now + 10 * minute)))
        yield* Deferred.await(begun)
        before.push(Effect.fail(new SigningRefused({ network: "tron", reason: "there is no key of it" })))
        assert.match(yield* reasonOf(sign(stellarLike("a", 2, now + 10 * minute))), /there is no key of it/u)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(replacing)
        assert.match(yield* reasonOf(sign(stellarLike("b", 3, now + 10 * minute))), /150 base units per day; 100 were/u)
      })
    )
  })

  it.live("signs for no request that is old or of a time to come, and still replaces what it has signed", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const hour = 3_600_000
      const old = requestOf("a", "body", Date.now() - 3 * hour)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { sign } = yield* openSigner({ directory, requestAgeMaxMs: 4 * hour })
          yield* sign(transaction({ requests: [old] }))
          const older = requestOf("b", "body", Date.now() - 5 * hour)
          const reason = /signed 5 hours ago, and the signer takes it for 4 hours/u
          assert.match(yield* reasonOf(sign(transaction({ requests: [older], sequence: 2 }))), reason)
          const early = requestOf("c", "body", Date.now() + hour)
          assert.match(yield* reasonOf(sign(transaction({ requests: [early], sequence: 2 }))), /has not come/u)
          // nor together with one that is young
          const both = transaction({ requests: [requestOf("d"), older], sequence: 2 })
          const two = {
            ...both,
            unsigned: Buffer.from(both.unsigned.toString().replace(/"payments":\[(.*?)\]/u, '"payments":[$1,$1]'))
          }
          assert.match(yield* reasonOf(sign(two)), reason)
        })
      )
      const { sign } = yield* openSigner({ directory, requestAgeMaxMs: hour })
      yield* sign(transaction({ requests: [old] }))
      assert.match(yield* reasonOf(sign(transaction({ requests: [old], sequence: 2 }))), /does not replace/u)
    })
  )

  it.live("brings no old request back whose transaction has expired", () =>
    Effect.gen(function* () {
      const now = Date.now()
      const request = requestOf("a", "body", now - 7_200_000)
      const tron = (validUntil: number) =>
        transaction({ network: "tron", requests: [request], sequence: null, validUntil })
      const directory = yield* folder
      yield* Effect.scoped(Effect.flatMap(openSigner({ directory }), ({ sign }) => sign(tron(now - 120_000))))
      const { sign } = yield* openSigner({ directory, requestAgeMaxMs: 3_600_000 })
      assert.match(yield* reasonOf(sign(tron(now + 60_000))), /signed 2 hours ago/u)
    })
  )

  it.live("writes a payment to oneself once, however often the very same is asked for, also after a restart", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const own = transaction({ own: "Wallet", note: "the same" })
      const size = Effect.sync(() => statSync(join(directory, logFile)).size)
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const { sign } = yield* openSigner({ directory })
          const signature = yield* sign(own)
          const before = yield* size
          assert.deepStrictEqual(yield* sign(own), signature)
          assert.strictEqual(yield* size, before)
          return signature
        })
      )
      const { before, sign } = yield* openSigner({ directory })
      assert.deepStrictEqual(yield* sign(own), first)
      // what is verified by then counts, and other bytes are signed
      before.push(Effect.fail(new SigningRefused({ network: own.network, reason: "the wallet is revoked" })))
      assert.match(yield* reasonOf(sign(own)), /the wallet is revoked/u)
      yield* sign(transaction({ own: "Wallet", note: "another", sequence: 2 }))
      assert.deepStrictEqual(yield* sign(own), first)
    })
  )

  it.live("gives coin for fees to so many addresses a day, also across restarts, and a replacement counts once", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const topUp = (sequence: number, to = "x") => transaction({ to, own: "Imported", units: 1n, sequence })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { sign } = yield* openSigner({ directory, topUpsPerDay: 3 })
          yield* sign(topUp(1))
          yield* sign(topUp(2))
          yield* sign(topUp(2))
        })
      )
      const { sign } = yield* openSigner({ directory, topUpsPerDay: 3 })
      yield* sign(topUp(3))
      yield* sign(topUp(3))
      assert.match(yield* reasonOf(sign(topUp(4, "y"))), /3 addresses on ethereum were given coin.*limit is 3/u)
      // wallets and payouts are not what is counted
      yield* sign(transaction({ to: "w", own: "Wallet", sequence: 5 }))
      yield* sign(transaction({ requests: [requestOf("a")], sequence: 6 }))
    })
  )

  it.live("burns no more than a day's fees on transactions to the tenant's own wallets, also across restarts", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const cap = defaultCurrencies.networks.of("ethereum").limits.feeMax
      const toItself = (sequence: number, feeMax = cap) => transaction({ to: "w", own: "Wallet", sequence, feeMax })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { sign } = yield* openSigner({ directory, ownFeesPerDay: 3 })
          yield* sign(toItself(1))
          // of two that exclude each other the dearer one counts
          yield* sign(toItself(2, cap / 2n))
          yield* sign(toItself(2))
          yield* sign(toItself(2, cap / 2n))
        })
      )
      const { sign } = yield* openSigner({ directory, ownFeesPerDay: 3 })
      yield* sign(toItself(3, cap / 2n))
      assert.match(yield* reasonOf(sign(toItself(4))), /pay nobody else cost up to .*limit is 300000000000000000$/u)
      yield* sign(toItself(4, cap / 2n))
      assert.match(yield* reasonOf(sign(toItself(5, 1n))), /pay nobody else/u)
      // payouts are not what is counted, nor what stops one
      yield* sign(transaction({ requests: [requestOf("a")], sequence: 6, feeMax: cap }))
      yield* sign(toItself(6))
      assert.match(yield* reasonOf(sign(toItself(7, 1n))), /pay nobody else/u)
      yield* sign(transaction({ network: "bitcoin", to: "w", own: "Wallet", sequence: 1 }))
    })
  )

  it.live("burns no more than that with many that are asked for at once", () =>
    Effect.gen(function* () {
      const { sign } = yield* openSigner({ ownFeesPerDay: 3 })
      const feeMax = defaultCurrencies.networks.of("ethereum").limits.feeMax
      const all = Array.from({ length: 10 }, (_, n) => transaction({ to: "w", own: "Wallet", sequence: n, feeMax }))
      const results = yield* Effect.forEach(all, (one) => Effect.result(sign(one)), { concurrency: "unbounded" })
      assert.lengthOf(results.filter(Result.isSuccess), 3)
    })
  )

  it.live("gives coin to no more of many that are asked for at once", () =>
    Effect.gen(function* () {
      const { sign } = yield* openSigner({ topUpsPerDay: 3 })
      const all = Array.from({ length: 10 }, (_, n) => transaction({ to: `x${n}`, own: "Issued", sequence: n }))
      const results = yield* Effect.forEach(all, (one) => Effect.result(sign(one)), { concurrency: "unbounded" })
      assert.lengthOf(results.filter(Result.isSuccess), 3)
    })
  )
})

const addressAt = (path: string) => Result.getOrThrow(parseSignerAddress(`unix:${path}`))

/** A vault that makes seeds, over a store of keys. */
const vault = Layer.effect(
  Vault,
  Effect.map(KeyStore, (store) =>
    Vault.of({
      createSeed: (id) =>
        Effect.map(
          store.putFirst({ tenantId: id, id: "made here", kind: "SEED", sealed: "sealed", createdAt: 1 }),
          (key) => key.id
        ),
      publicAccount: () => Effect.succeed("account"),
      wrappingKey: () => Effect.fail(new VaultError({ doing: "give a key", reason: "there is none" })),
      importKey: () => Effect.die(new Error("not here")),
      createCustodyKey: () => Effect.die(new Error("not here")),
      publicKey: () => Effect.succeed(Uint8Array.of(1, 2, 3))
    })
  )
)

const stored: Array<string> = []

const keyStore = (mayWrite: boolean) =>
  Layer.succeed(
    KeyStore,
    KeyStore.of({
      putFirst: (key) =>
        mayWrite
          ? Effect.sync(() => {
              stored.push(key.sealed)
              return key
            })
          : Effect.die(new Error("the signer wrote to the database")),
      first: () => Effect.succeed(undefined),
      byId: () => Effect.succeed(undefined),
      page: () => Effect.succeed([]),
      reseal: () => Effect.succeed(false)
    })
  )

const refusing = Layer.succeed(
  TransactionSigner,
  TransactionSigner.of({
    sign: () => Effect.fail(new SigningRefused({ network: "ethereum", reason: "nobody asked" })),
    signed: () => Effect.succeed([])
  })
)

const verifiedSeal = { number: 1, fromId: 1, toId: 2, hash: "h", at: 3, keyId: "k", previous: "p", mac: "m" }

const sealing = Layer.succeed(
  AuditSealer,
  AuditSealer.of({
    seal: (after) =>
      after === 1 ? Effect.succeed(null) : Effect.fail(new AuditBroken({ findings: ["cut", "put in"] })),
    verify: Effect.succeed(verifiedSeal)
  })
)

const proving = Layer.succeed(
  ReserveProver,
  ReserveProver.of({
    signDocument: ({ digest, snapshotId }) =>
      snapshotId === "one"
        ? Effect.succeed({ key: "key", signature: digest })
        : Effect.fail(new VaultError({ doing: "sign a document", reason: "no id" })),
    prove: ({ address, network, snapshotId }) =>
      address === "mine"
        ? Effect.succeed({ format: "EIP-191", message: snapshotId, signature: "0x" })
        : Effect.fail(new ProofRefused({ network, reason: "no key of it" }))
  })
)

describe("a signer behind a socket", () => {
  it.live("answers with keys and typed errors, writes nothing itself, and is its owner's alone", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "socket")
      const address = addressAt(path)
      const served = Layer.mergeAll(
        vault.pipe(Layer.provide(layerReadOnly), Layer.provide(keyStore(false))),
        refusing,
        sealing,
        proving
      )
      yield* Effect.provide(listenSigner({ address }), yield* Layer.build(served))
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      const client = yield* Layer.build(
        Layer.mergeAll(
          SignerClient.layerAuditSealer({ address }),
          SignerClient.layerReserveProver({ address }),
          SignerClient.layerVault({ address }).pipe(Layer.provide(keyStore(true))),
          SignerClient.layerTransactionSigner({ address })
        )
      )
      yield* Effect.gen(function* () {
        const remote = yield* Vault
        assert.strictEqual(yield* remote.createSeed(tenantId), "made here")
        assert.deepStrictEqual(stored, ["sealed"])
        assert.deepStrictEqual(
          yield* remote.publicKey({ _tag: "Wallet", tenantId, seedId: "s", network: "ethereum", index: 0 }),
          Uint8Array.of(1, 2, 3)
        )
        assert.match(yield* reasonOf(remote.wrappingKey(tenantId)), /^VaultError: there is none/u)
        const { sign } = yield* TransactionSigner
        assert.match(yield* reasonOf(sign(transaction())), /^SigningRefused: nobody asked/u)
        const { seal, verify } = yield* AuditSealer
        assert.deepStrictEqual(yield* verify, verifiedSeal)
        assert.isNull(yield* seal(1))
        const broken = yield* Effect.flip(seal(2))
        assert.deepStrictEqual(broken._tag === "AuditBroken" && broken.findings, ["cut", "put in"])
        const { prove, signDocument } = yield* ReserveProver
        const signing = { service: "Bursar", snapshotId: "one", digest: "hash", takenAt: "now" }
        assert.deepStrictEqual(yield* signDocument(signing), { key: "key", signature: "hash" })
        assert.match(yield* reasonOf(signDocument({ ...signing, snapshotId: "" })), /^VaultError: no id/u)
        const reserve = {
          key: { _tag: "Wallet", tenantId, seedId: "s", network: "ethereum", index: 0 },
          network: "ethereum",
          address: "mine",
          service: "Bursar",
          snapshotId: "one",
          commitment: "hash",
          takenAt: "now"
        } as const
        assert.deepStrictEqual(yield* prove(reserve), { format: "EIP-191", message: "one", signature: "0x" })
        assert.match(yield* reasonOf(prove({ ...reserve, address: "other" })), /no key of it/u)
        const tooLong = { ...transaction(), unsigned: new Uint8Array(9 * 2 ** 20) }
        assert.match(yield* reasonOf(sign(tooLong)), /^SigningRefused.*too long/u)
      }).pipe(Effect.provide(client))
      assert.match(
        String(yield* Effect.flip(Effect.provide(listenSigner({ address }), served))),
        /another signer answers/u
      )
    })
  )

  it.live("that is not there is asked again later, and never refuses", () =>
    Effect.gen(function* () {
      const address = addressAt(join(yield* folder, "nobody"))
      const { sign } = yield* Effect.provide(TransactionSigner, SignerClient.layerTransactionSigner({ address }))
      assert.match(yield* reasonOf(sign(transaction())), /^VaultError: it does not answer/u)
    })
  )

  it.live("does not listen where others can write, or in the place of a file", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const served = Layer.mergeAll(vault.pipe(Layer.provide(keyStore(false))), refusing, sealing, proving)
      const listening = Effect.provide(listenSigner({ address: addressAt(join(directory, "socket")) }), served)
      chmodSync(directory, 0o777)
      assert.match(String(yield* Effect.flip(listening)), /others may write/u)
      chmodSync(directory, 0o700)
      writeFileSync(join(directory, "socket"), "")
      assert.match(String(yield* Effect.flip(listening)), /is no socket/u)
    })
  )
})
