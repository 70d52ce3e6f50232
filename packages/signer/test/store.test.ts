import { type OpenSignature, SigningView, type StoredSignature } from "@bursar/core/port/SigningView"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { openStore, type StoreWord } from "@bursar/signer"
import { askedOf } from "@bursar/signer/askedOf"
import type { Signed } from "@bursar/signer/store/Entry"
import { frame, firstChain, magic, readFrames } from "@bursar/signer/store/frames"
import { directoryDisk, logFile } from "@bursar/signer/store/SignerDisk"
import { openLog } from "@bursar/signer/store/SignerLog"
import type { SignerStore } from "@bursar/signer/store/SignerStore"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { requestOf } from "./support/requestOf.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "signer-store-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const signed = (n: number): Signed => ({
  _tag: "Signed",
  at: n,
  tenantId: "tenant",
  network: "ethereum",
  requests: [{ key: `key ${n}`, digest: "digest" }],
  uses: [`wallet:${n}`],
  unsigned: `unsigned ${n}`,
  hash: `hash ${n}`,
  raw: Uint8Array.of(n),
  validUntil: null,
  from: "wallet",
  paid: [{ contract: null, units: 5n }],
  progress: { changeSeq: BigInt(n), eventId: 0n, postingSeq: 0n }
})

const viewOf = (signatures: ReadonlyArray<StoredSignature> = []) =>
  SigningView.of({
    progress: () => Effect.succeed(undefined),
    progressOfAll: Effect.succeed(new Map()),
    onPrimary: (effect) => effect,
    newestSignatures: () => Effect.succeed(signatures),
    openSignatures: () => Effect.succeed([]),
    answeredRequests: () => Effect.succeed([])
  })

const opened = (
  directory: string,
  signatures: ReadonlyArray<StoredSignature> = [],
  word?: StoreWord,
  givingUp?: string
) => openStore({ directory, ...(word && { word }), ...(givingUp !== undefined && { givingUp }) }, viewOf(signatures))

/** A store with so many signatures, closed again. */
const filled = Effect.fnUntraced(function* (count: number) {
  const directory = yield* folder
  yield* Effect.scoped(
    Effect.gen(function* () {
      const store = yield* opened(directory)
      const all = Array.from({ length: count }, (_, n) => signed(n + 1))
      yield* Effect.forEach(all, (entry) => store.commit(entry), { concurrency: "unbounded" })
    })
  )
  return { directory, file: join(directory, logFile) }
})

const reopened = (
  directory: string,
  signatures: ReadonlyArray<StoredSignature> = [],
  word?: StoreWord,
  givingUp?: string
) => Effect.scoped(Effect.map(opened(directory, signatures, word, givingUp), ({ register }) => register))

/** The id of the store in a directory. */
const begunAs = (directory: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { entries } = yield* openLog(directoryDisk(directory))
      return entries.flatMap(({ entry }) => (entry._tag === "Opened" ? entry.id : []))[0]
    })
  )

const tenant = TenantId("019845e1-682f-7b02-a706-3b2422d13aec")

/** What a partner signs of a request with this idempotency key. */
const baseOf = (idempotencyKey: string): string => requestOf(idempotencyKey).signatureBase

const later: StoredSignature = { network: "ethereum", hash: "hash 9", signedAt: Number.MAX_SAFE_INTEGER }

describe("the frames of a store", () => {
  const framed = (payloads: ReadonlyArray<Uint8Array>): Buffer => {
    let chain: Buffer = firstChain
    const parts = payloads.map((payload) => {
      const made = frame(chain, payload)
      chain = made.chain
      return made.bytes
    })
    return Buffer.concat([magic, ...parts])
  }
  // an entry is JSON: its last byte is never a zero
  const payload = fc.uint8Array({ minLength: 1, maxLength: 40 }).filter((bytes) => bytes.at(-1) !== 0)
  const payloads = fc.array(payload, { minLength: 1, maxLength: 8 })

  it("lose nothing but an unfinished end, wherever a crash cuts them", () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.nat({ max: 64 }), (all, at, blank) => {
        const whole = framed(all)
        const cut = at % (whole.length + 1)
        const read = readFrames(Buffer.concat([whole.subarray(0, cut), Buffer.alloc(blank)]))
        // zeros behind a cut within an entry cannot be told from its bytes: nothing is read that was not written
        if (blank === 0) assert.isUndefined(read.fault)
        for (const [index, { payload }] of read.frames.entries())
          assert.deepStrictEqual(Uint8Array.from(payload), all[index])
        if (cut === whole.length) assert.lengthOf(read.frames, all.length)
      })
    )
  })

  it("tell of any byte that was changed, but for a last one that a crash may have left unwritten", () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.integer({ min: 1, max: 255 }), (all, at, flip) => {
        const whole = framed(all)
        const place = at % whole.length
        whole[place] = (whole[place] ?? 0) ^ flip
        const { fault, frames } = readFrames(whole)
        if (whole.at(-1) === 0) assert.lengthOf(frames, all.length - 1)
        else assert.isDefined(fault)
      })
    )
  })
})

describe("the signer's store", () => {
  it.live("knows after a restart what it has signed, and gives the same bytes", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled(20)
      const store = yield* opened(directory)
      for (let n = 1; n <= 20; n++) assert.isTrue(store.register.knows("ethereum", `hash ${n}`))
      const asked = { key: "key 7", digest: "digest", text: "text 7", created: Date.now() }
      const candidate = { network: "ethereum", unsigned: "unsigned 7", uses: ["wallet:7"], requests: [asked] }
      const verdict = store.register.judge(candidate, 0)
      if (verdict._tag !== "Answered") return assert.fail(verdict._tag)
      assert.deepStrictEqual((yield* store.recall(verdict.by)).raw, Uint8Array.of(7))
      return undefined
    })
  )

  it.live("finds each of many that were remembered at once, whenever their fibers took turns", () =>
    Effect.gen(function* () {
      for (let steps = 3; steps < 20; steps += 1) {
        const { directory } = yield* filled(0)
        const all = Array.from({ length: 10 }, (_, n) => signed(n + 1))
        const store = yield* opened(directory)
        yield* Effect.forEach(all, (entry) => store.commit(entry), { concurrency: "unbounded" }).pipe(
          Effect.provideService(Scheduler.MaxOpsBeforeYield, steps)
        )
        for (const { hash, requests, unsigned, uses } of all) {
          const asked = requests.map((request) => ({ text: request.key, ...request, created: Date.now() }))
          const verdict = store.register.judge({ network: "ethereum", unsigned, uses, requests: asked }, 0)
          if (verdict._tag !== "Answered") return assert.fail(verdict._tag)
          assert.strictEqual((yield* store.recall(verdict.by)).hash, hash)
        }
      }
      return undefined
    })
  )

  it.live("drops what a crash left unfinished, and goes on behind what was whole", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* filled(3)
      truncateSync(file, readFileSync(file).length - 5)
      assert.isFalse((yield* reopened(directory)).knows("ethereum", "hash 3"))
      yield* Effect.scoped(Effect.flatMap(opened(directory), ({ commit }) => commit(signed(4))))
      appendFileSync(file, Buffer.alloc(512))
      const register = yield* reopened(directory)
      assert.deepStrictEqual(
        [1, 2, 3, 4].map((n) => register.knows("ethereum", `hash ${n}`)),
        [true, true, false, true]
      )
    })
  )

  it.live("stops with the reason where anything before its end was changed", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* filled(3)
      const bytes = readFileSync(file)
      const middle = bytes.indexOf("hash 2")
      bytes[middle] = (bytes[middle] ?? 0) ^ 1
      writeFileSync(file, bytes)
      assert.match((yield* Effect.flip(reopened(directory))).message, /was damaged: the entry at byte \d+ was changed/u)
    })
  )

  it.live("cuts nothing off where the length of an entry was changed", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* filled(3)
      const bytes = readFileSync(file)
      // the first entry seems to go on behind the end of the file
      bytes[magic.length + 1] = 1
      writeFileSync(file, bytes)
      assert.match((yield* Effect.flip(reopened(directory))).message, /was damaged: the length of the entry at byte 8/u)
      assert.deepStrictEqual(readFileSync(file), bytes)
    })
  )

  it.live("is set aside by nobody while a signer uses it", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* filled(1)
      yield* opened(directory)
      const before = readFileSync(file)
      assert.match((yield* Effect.flip(reopened(directory, [], "recover"))).message, /another signer uses this store/u)
      assert.deepStrictEqual(readFileSync(file), before)
    })
  )

  it.live("is one process's alone", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled(1)
      yield* opened(directory)
      assert.match((yield* Effect.flip(reopened(directory))).message, /another signer uses this store/u)
    })
  )

  it.live("is written no more by a signer that another came after", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* filled(1)
      const first = yield* opened(directory)
      // what two do that start in the same moment: each takes the other's lock for one that was left behind
      rmSync(join(directory, "lock"))
      const second = yield* opened(directory)
      yield* second.commit(signed(2))
      const before = readFileSync(file)
      assert.match((yield* Effect.flip(first.commit(signed(3)))).message, /another signer has taken this store/u)
      assert.deepStrictEqual(readFileSync(file), before)
      yield* second.commit(signed(4))
      assert.isDefined(second.register.knows("ethereum", "hash 4"))
    })
  )

  it.live("does not begin, or go on, where the database has signatures that it does not know", () =>
    Effect.gen(function* () {
      const empty = yield* folder
      assert.match((yield* Effect.flip(reopened(empty, [later]))).message, /the store is empty/u)
      const { directory } = yield* filled(1)
      assert.match((yield* Effect.flip(reopened(directory, [later]))).message, /the store is older than the database/u)
      assert.isTrue((yield* reopened(directory, [{ ...later, hash: "hash 1" }])).knows("ethereum", "hash 1"))
    })
  )

  it.live("begins with what may still take effect, which only the same guard or a proof of its end makes anew", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const sent: OpenSignature = {
        key: "ethereum|hash 1",
        tenantId: tenant,
        network: "ethereum",
        hash: "hash 1",
        raw: Uint8Array.of(1),
        validUntil: null,
        signedAt: 1,
        guard: { _tag: "Sequence", account: "wallet", sequence: 7n },
        from: "wallet",
        signatureBases: [baseOf("sent")]
      }
      const expiring: OpenSignature = {
        ...sent,
        key: "tron|hash 2",
        network: "tron",
        hash: "hash 2",
        validUntil: 5_000,
        guard: { _tag: "Expiry" },
        signatureBases: [baseOf("expiring")]
      }
      const view = SigningView.of({
        progress: () => Effect.succeed({ changeSeq: 9n, eventId: 9n, postingSeq: 9n }),
        progressOfAll: Effect.succeed(new Map()),
        onPrimary: (effect) => effect,
        newestSignatures: () => Effect.succeed([later]),
        openSignatures: (after) => Effect.succeed(after === undefined ? [sent, expiring] : []),
        answeredRequests: (after) =>
          Effect.succeed(
            after === undefined
              ? ["sent", "expiring", "paid"].map((key) => ({
                  tenantId: tenant,
                  operationId: key,
                  signatureBase: baseOf(key)
                }))
              : []
          )
      })
      const begun = openStore({ directory, word: "adopt" }, view)
      const check = ({ register }: SignerStore) => {
        const verdict = (idempotencyKey: string, network: string, uses: ReadonlyArray<string>, now: number) => {
          const asked = askedOf(tenant, baseOf(idempotencyKey))
          assert.isDefined(asked)
          return register.judge({ network, unsigned: "new bytes", uses, requests: [asked] }, now)._tag
        }
        assert.strictEqual(verdict("sent", "ethereum", ["wallet:7"], 10_000), "Free")
        assert.strictEqual(verdict("sent", "ethereum", ["wallet:8"], 10_000), "Refused")
        assert.strictEqual(verdict("sent", "tron", ["wallet:7"], 10_000), "Refused")
        assert.strictEqual(verdict("expiring", "tron", [], 4_000), "Answered")
        assert.strictEqual(verdict("expiring", "tron", [], 10_000), "Unproven")
        assert.strictEqual(verdict("paid", "ethereum", ["wallet:7"], 10_000), "Refused")
        assert.strictEqual(verdict("never asked", "ethereum", ["wallet:9"], 10_000), "Free")
      }
      yield* Effect.scoped(Effect.map(begun, check))
      // and at the next start
      yield* Effect.scoped(Effect.map(opened(directory), check))
    })
  )

  it.effect(
    "is recovered by no clock that is behind what was signed, and refuses requests of up to the newest signature",
    () =>
      Effect.gen(function* () {
        const { directory } = yield* filled(1)
        const recovered = (signedAt: number) => reopened(directory, [{ ...later, signedAt }], "recover")
        const judge = ({ judge: verdict }: SignerStore["register"], created: number) =>
          verdict(
            {
              network: "ethereum",
              unsigned: "u",
              uses: ["w:1"],
              requests: [{ key: "k", digest: "d", text: "t", created }]
            },
            created
          )._tag
        yield* TestClock.setTime(86_400_000)
        const { message } = yield* Effect.flip(recovered(86_460_001))
        assert.match(message, /the clock of this host says 1970-01-02T00:00:00\.000Z/u)
        // nothing was put aside: what the store knows still counts
        assert.isTrue((yield* reopened(directory)).knows("ethereum", "hash 1"))
        const register = yield* recovered(86_430_000)
        assert.strictEqual(judge(register, 86_490_000), "Refused")
        assert.strictEqual(judge(register, 86_490_001), "Free")
      })
  )

  for (const word of ["recover", "adopt"] as const)
    it.effect(`opens again after "${word}" whatever times the database said then, and still tells that it is old`, () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const [day, ahead] = [86_400_000, { ...later, hash: "ahead", signedAt: 86_430_000 }]
        yield* TestClock.setTime(day)
        yield* reopened(directory, [ahead], word)
        yield* TestClock.setTime(8 * day)
        yield* reopened(directory, [ahead])
        for (const unknown of [
          { ...ahead, hash: "another" },
          { ...ahead, network: "tron" }
        ])
          assert.match(
            (yield* Effect.flip(reopened(directory, [unknown, ahead]))).message,
            /the store is older than the database/u
          )
      })
    )

  it.effect("is recovered though a signature says a time of next month, once an operator says that it is wrong", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled(1)
      const day = 86_400_000
      const all = [
        { ...later, hash: "wrong", signedAt: 30 * day },
        { ...later, hash: "right", signedAt: day - 1 }
      ]
      yield* TestClock.setTime(day)
      const recovered = (wrongUntil: number) =>
        Effect.scoped(openStore({ directory, word: "recover", wrongUntil }, viewOf(all)))
      assert.match((yield* Effect.flip(recovered(30 * day - 1))).message, /wrong on ethereum as signed/u)
      const { register } = yield* recovered(30 * day)
      // requests from now on are signed for: who waits for that month to pass would sign nothing
      const judged = (created: number) => {
        const requests = [{ key: "k", digest: "d", text: "t", created }]
        return register.judge({ network: "ethereum", unsigned: "u", uses: ["w:1"], requests }, created)._tag
      }
      assert.deepStrictEqual([judged(day + 60_000), judged(day + 60_001)], ["Refused", "Free"])
      yield* TestClock.setTime(8 * day)
      yield* reopened(directory, all)
    })
  )

  it.live("is not recovered again by a start that still says so: what it has counted and signed since stands", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* filled(1)
      yield* Effect.scoped(Effect.flatMap(opened(directory, [], "recover"), ({ commit }) => commit(signed(2))))
      const bytes = readFileSync(file)
      const again = reopened(directory, [], "recover")
      const { message } = yield* Effect.flip(again)
      const id = (yield* begunAs(directory)) ?? ""
      assert.match(message, new RegExp(`began by --recover .* without --recover.* --giving-up ${id}`, "u"))
      assert.isTrue(readFileSync(file).equals(bytes))
      assert.strictEqual(readdirSync(directory).filter((name) => name.startsWith(`${logFile}.`)).length, 1)
      assert.isTrue((yield* reopened(directory)).knows("ethereum", "hash 2"))
      // a store that is damaged says nothing that could be kept
      const [byte = 0] = readFileSync(file).subarray(60, 61)
      const damaged = readFileSync(file)
      damaged[60] = byte ^ 1
      writeFileSync(file, damaged)
      yield* reopened(directory, [], "recover")
      // the word for one store is none for the next: a start that is repeated gives up one alone
      const last = (yield* begunAs(directory)) ?? ""
      assert.match((yield* Effect.flip(reopened(directory, [], "recover", id))).message, /began by --recover/u)
      yield* reopened(directory, [], "recover", last)
      assert.match((yield* Effect.flip(reopened(directory, [], "recover", last))).message, /began by --recover/u)
    })
  )

  it.live("is not recovered again for a row that somebody wrote into the database: an operator names it first", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled(1)
      yield* reopened(directory, [], "recover")
      yield* Effect.scoped(Effect.flatMap(opened(directory), ({ commit }) => commit(signed(2))))
      const id = (yield* begunAs(directory)) ?? ""
      const written = [{ ...later, hash: "written", signedAt: Date.now() + 1_000 }]
      const { message } = yield* Effect.flip(reopened(directory, written, "recover"))
      assert.match(message, /has written on ethereum as signed; or somebody has written that row/u)
      assert.match(message, new RegExp(`began by --recover .* --recover --giving-up ${id}`, "u"))
      assert.isTrue((yield* reopened(directory)).knows("ethereum", "hash 2"))
      assert.isFalse((yield* reopened(directory, written, "recover", id)).knows("ethereum", "hash 2"))
    })
  )

  it.live("says after a recovery, as the store before did, that the signer goes by grants", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled(1)
      assert.isFalse((yield* reopened(directory, [], "recover")).wentByGrants())
      const head = { _tag: "GrantHead", tenantId: null, number: 1, hash: "ab" } as const
      yield* Effect.scoped(Effect.flatMap(opened(directory), ({ commit }) => commit(head)))
      // nothing of its chains is known any more, and a second recovery makes no difference
      for (const word of ["recover", undefined, "recover", undefined] as const) {
        const givingUp = yield* begunAs(directory)
        const register = yield* reopened(directory, [], word, givingUp)
        assert.deepStrictEqual([register.hasGrantHeads(), register.wentByGrants()], [false, true])
      }
    })
  )

  it.effect("tells that it is old though more signatures say a time to come than are compared", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const day = 86_400_000
      const wrong = Array.from({ length: 2_500 }, (_, n) => ({
        ...later,
        hash: `wrong ${n}`,
        signedAt: 30 * day - n
      }))
      /** As a database gives them: the newest, and no more than were asked for. */
      const viewOver = (others: ReadonlyArray<StoredSignature>) => ({
        ...viewOf(),
        newestSignatures: (limit: number) => Effect.succeed([...wrong, ...others].slice(0, limit))
      })
      const begun = [{ ...later, hash: "before", signedAt: day - 1 }]
      yield* TestClock.setTime(day)
      yield* Effect.scoped(openStore({ directory, word: "recover", wrongUntil: 30 * day }, viewOver(begun)))
      const reopens = (others: ReadonlyArray<StoredSignature>) =>
        Effect.scoped(openStore({ directory }, viewOver([...others, ...begun])))
      yield* TestClock.setTime(8 * day)
      yield* reopens([])
      const { message } = yield* Effect.flip(reopens([{ ...later, hash: "unknown", signedAt: 7 * day }]))
      assert.match(message, /the store is older than the database, which has unknown/u)
      // once the wrong time has passed, those that were there still take the place of none that is compared
      yield* TestClock.setTime(31 * day)
      yield* reopens([])
      assert.match(
        (yield* Effect.flip(reopens([{ ...later, hash: "unknown", signedAt: 29 * day }]))).message,
        /the store is older than the database, which has unknown/u
      )
    })
  )

  it.effect("opens again after a recovery, however much the database had as signed at a time to come", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const day = 86_400_000
      // more than one entry takes
      const wrong = Array.from({ length: 5_000 }, (_, n) => ({
        ...later,
        hash: `wrong ${n}`.padEnd(4_000, "0"),
        signedAt: 30 * day - n
      }))
      const viewOver = (others: ReadonlyArray<StoredSignature>) => ({
        ...viewOf(),
        newestSignatures: (limit: number) => Effect.succeed([...wrong, ...others].slice(0, limit))
      })
      yield* TestClock.setTime(day)
      yield* Effect.scoped(openStore({ directory, word: "recover", wrongUntil: 30 * day }, viewOver([])))
      const reopens = (others: ReadonlyArray<StoredSignature>) =>
        Effect.scoped(openStore({ directory }, viewOver(others)))
      yield* reopens([])
      yield* TestClock.setTime(8 * day)
      const { message } = yield* Effect.flip(reopens([{ ...later, hash: "unknown", signedAt: 7 * day }]))
      assert.match(message, /the store is older than the database, which has unknown/u)
    })
  )

  it.live("ends before an entry that is longer than it could be read again", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled(1)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { commit } = yield* opened(directory)
          const tooLong = { ...signed(2), raw: new Uint8Array(13 * 2 ** 20) }
          assert.match((yield* Effect.flip(commit(tooLong))).message, /an entry is too long/u)
          assert.match((yield* Effect.flip(commit(signed(3)))).message, /an entry is too long/u)
        })
      )
      const register = yield* reopened(directory)
      assert.deepStrictEqual(
        [1, 2, 3].map((n) => register.knows("ethereum", `hash ${n}`)),
        [true, false, false]
      )
    })
  )

  it.effect("that is whole and is put aside all the same has nothing signed again, and its file stays as it was", () =>
    Effect.gen(function* () {
      const now = 1_700_000_000_000
      yield* TestClock.setTime(now)
      const { directory, file } = yield* filled(2)
      const before = readFileSync(file)
      const register = yield* reopened(directory, [], "recover")
      const aside = readdirSync(directory).filter((name) => name.startsWith(`${logFile}.`))
      assert.deepStrictEqual(
        aside.map((name) => readFileSync(join(directory, name)).equals(before)),
        [true]
      )
      // the clock of a partner may be a minute ahead, and what it asked for was signed for at that very moment
      for (const created of [now - 1, now, now + 60_000]) {
        const requests = [{ key: "key 1", digest: "digest", text: "key 1", created }]
        for (const network of ["ethereum", "base"])
          assert.strictEqual(
            register.judge({ network, unsigned: "unsigned 1", uses: ["wallet:1"], requests }, now)._tag,
            "Refused"
          )
      }
    })
  )

  it.live("after an operator's word that it is lost, refuses every request of the time before", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled(1)
      const now = Date.now()
      const register = yield* reopened(directory, [{ ...later, signedAt: now }], "recover")
      const judge = (created: number) =>
        register.judge(
          {
            network: "ethereum",
            unsigned: "u",
            uses: ["w:1"],
            requests: [{ key: "k", digest: "d", text: "t", created }]
          },
          now
        )
      assert.strictEqual(judge(now)._tag, "Refused")
      assert.strictEqual(judge(now + 120_000)._tag, "Free")
      // the word holds for good, not until the next start
      const again = yield* reopened(directory)
      const old = { key: "k", digest: "d", text: "t", created: now }
      assert.strictEqual(
        again.judge({ network: "ethereum", unsigned: "u", uses: ["w:1"], requests: [old] }, now)._tag,
        "Refused"
      )
    })
  )
})
