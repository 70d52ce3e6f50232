import { AuditSeal, digestOf } from "@bursar/core/audit/AuditSeal"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import type { GrantStore } from "@bursar/core/grant/GrantStore"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { SigningView } from "@bursar/core/port/SigningView"
import * as Memory from "@bursar/memory"
import { emptyState, type State } from "@bursar/memory/Store"
import {
  type AuditKeys,
  lookForRollback,
  makeAuditSealer,
  openStore,
  type StoreWord,
  takeRestored
} from "@bursar/signer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { givesUp } from "./support/givesUp.ts"

const view = SigningView.of({
  progress: () => Effect.succeed(undefined),
  progressOfAll: Effect.succeed(new Map()),
  onPrimary: (effect) => effect,
  newestSignatures: () => Effect.succeed([]),
  openSignatures: () => Effect.succeed([]),
  answeredRequests: () => Effect.succeed([])
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "signer-audit-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const keysOf = (current: string, ...ids: ReadonlyArray<string>): AuditKeys => ({
  current,
  byId: new Map([current, ...ids].map((id) => [id, Redacted.make(new Uint8Array(Buffer.from(id.padEnd(32, "."))))]))
})

const first = keysOf("first")

const append = (count: number) =>
  Effect.gen(function* () {
    const audit = yield* OperatorAudit
    for (let index = 0; index < count; index += 1)
      yield* audit.append({
        actionId: crypto.randomUUID(),
        at: index,
        operator: "alice",
        role: "admin",
        method: "POST",
        route: "/",
        params: {},
        status: 201,
        requestId: "r",
        address: "",
        content: null
      })
  })

/** Works with a signer on a store of that directory, which is closed again. */
const signing = Effect.fnUntraced(function* <A, E>(
  directory: string,
  use: (signer: Effect.Success<ReturnType<typeof makeAuditSealer>>) => Effect.Effect<A, E, AuditSeals | OperatorAudit>,
  { keys = first, word }: { readonly keys?: AuditKeys; readonly word?: StoreWord } = {}
) {
  const store = yield* openStore({ directory, ...(word && { word }) }, view)
  return yield* use(yield* makeAuditSealer({ keys, store }))
}, Effect.scoped)

/** Has all that is new sealed, and stores the seal. */
const sealOnce = (signer: Effect.Success<ReturnType<typeof makeAuditSealer>>) =>
  Effect.gen(function* () {
    const seals = yield* AuditSeals
    const seal = yield* signer.seal((yield* seals.last)?.number ?? 0)
    if (seal !== null) yield* seals.add(seal)
    return seal
  })

const test = (
  name: string,
  run: (state: State) => Effect.Effect<void, unknown, AuditSeals | GrantStore | OperatorAudit>
) =>
  it.live(name, () =>
    Effect.suspend(() => {
      const state = emptyState()
      return Effect.provide(run(state), Memory.layerOver(state))
    })
  )

const opensIn = (directory: string) => openStore({ directory }, view)

/** Gives up what the log lacks, as it is listed, and no more. */
const takesLog = (directory: string) =>
  Effect.gen(function* () {
    const store = yield* opensIn(directory)
    const { name } = yield* takeRestored(store)
    assert.isTrue((yield* takeRestored(store, name)).isTaken)
  }).pipe(Effect.scoped, Effect.provideService(SigningView, view))

/** What a start of the signer finds to be gone, or found before. */
const rollbackSeen = (directory: string) =>
  Effect.flatMap(opensIn(directory), (store) =>
    Effect.map(lookForRollback(store), () => store.register.rolledBack()?.what)
  ).pipe(Effect.scoped, Effect.provideService(SigningView, view))

const foundBy = <A, R>(effect: Effect.Effect<A, unknown, R>) => Effect.map(Effect.flip(effect), String)

describe("a signer that seals the log of operators' actions", () => {
  test("covers what was added since, each record once, and gives a seal again that got lost", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* append(3)
      const lost = yield* signing(directory, ({ seal }) => seal(0))
      yield* append(2)
      yield* signing(directory, (signer) =>
        Effect.gen(function* () {
          const again = yield* sealOnce(signer)
          assert.deepStrictEqual(again, lost)
          const next = yield* sealOnce(signer)
          assert.deepInclude(next, { number: 2, fromId: 4, toId: 5 })
          assert.strictEqual(next?.previous, lost === null ? "" : yield* digestOf(lost))
          assert.isNull(yield* sealOnce(signer))
          assert.deepStrictEqual(yield* signer.verify, next)
        })
      )
    }).pipe(Effect.scoped))

  test("takes over what its key has made by looking through it all, which may take longer than a request", (state) =>
    Effect.gen(function* () {
      const [old, made] = [yield* folder, yield* folder]
      for (let round = 0; round < 2; round += 1) {
        yield* append(2)
        yield* signing(old, sealOnce)
      }
      const seals = new Map(state.auditSeals)
      const [record] = state.audit
      if (record === undefined) return assert.fail("nothing was recorded")
      state.audit[0] = { ...record, operator: "mallory" }
      yield* signing(made, ({ verify }) => foundBy(verify))
      state.audit[0] = record
      state.auditSeals.clear()
      // nothing was taken over of a log that was wrong: it is one without seals
      yield* signing(made, ({ verify }) => verify)
      for (const [number, seal] of seals) state.auditSeals.set(number, seal)
      yield* signing(made, ({ verify }) => verify)
      state.auditSeals.clear()
      assert.match(yield* signing(made, ({ seal }) => foundBy(seal(0))), /Seals 1 to 2 were taken out/u)
      return undefined
    }).pipe(Effect.scoped))

  const seal2 = (state: State) => state.auditSeals.get(2) ?? assert.fail("there is no seal 2")
  const meanwhile: ReadonlyArray<readonly [string, (state: State) => void]> = [
    ["replaced", (state) => void state.auditSeals.set(2, { ...seal2(state), mac: "00".repeat(32) })],
    ["taken away", (state) => void state.auditSeals.delete(2)]
  ]
  for (const [name, tamper] of meanwhile)
    test(`takes over no seal but what it has verified, where the newest is ${name} while it looks`, (state) =>
      Effect.gen(function* () {
        const [old, made] = [yield* folder, yield* folder]
        for (let round = 0; round < 2; round += 1) {
          yield* append(2)
          yield* signing(old, sealOnce)
        }
        const [last, audit] = [seal2(state), yield* OperatorAudit]
        // the seals are read by then
        const thief = OperatorAudit.of({
          ...audit,
          after: (...range) =>
            Effect.andThen(
              Effect.sync(() => tamper(state)),
              audit.after(...range)
            )
        })
        yield* Effect.provideService(
          signing(made, ({ verify }) => verify),
          OperatorAudit,
          thief
        )
        // a person puts it right again
        state.auditSeals.set(2, last)
        yield* append(1)
        assert.strictEqual((yield* signing(made, sealOnce))?.number, 3)
        yield* signing(made, ({ verify }) => verify)
      }).pipe(Effect.scoped))

  test("seals nothing after a log, or seals, that are not what it remembers across a restart", (state) =>
    Effect.gen(function* () {
      const directory = yield* folder
      for (let round = 0; round < 3; round += 1) {
        yield* append(2)
        yield* signing(directory, sealOnce)
      }
      const [audit, seals] = [[...state.audit], new Map(state.auditSeals)]
      const restore = () => {
        state.audit.splice(0, state.audit.length, ...audit)
        state.auditSeals.clear()
        for (const [number, seal] of seals) state.auditSeals.set(number, seal)
      }
      const attempts: ReadonlyArray<readonly [() => void, RegExp]> = [
        [() => void state.audit.splice(4), /Records 5 to 6 were cut off/u],
        [() => void state.audit.splice(0), /The log was emptied/u],
        [() => state.auditSeals.clear(), /Seals 1 to 3 were taken out/u],
        [
          () => void state.auditSeals.set(4, { ...AuditSeal.make({ ...lastOf(seals), number: 4 }) }),
          /Seal 4 was put in/u
        ]
      ]
      for (const [change, reason] of attempts) {
        change()
        assert.match(yield* foundBy(signing(directory, sealOnce)), reason)
        restore()
        yield* signing(directory, ({ verify }) => verify)
      }
    }).pipe(Effect.scoped))

  test("makes no seal before the last one is stored, and believes no caller that it is", (state) =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* append(1)
      yield* signing(directory, sealOnce)
      yield* signing(directory, ({ seal }) =>
        Effect.gen(function* () {
          yield* append(1)
          const second = yield* seal(1)
          // whoever may call the signer, and store nothing
          for (const after of [2, 3, 99]) {
            yield* append(1)
            assert.isNull(yield* seal(after))
          }
          assert.deepStrictEqual([yield* seal(0), yield* seal(1)], [second, second])
        })
      )
      assert.isUndefined(yield* rollbackSeen(directory), "nothing was taken out")
      yield* signing(directory, (signer) =>
        Effect.gen(function* () {
          assert.deepInclude(yield* sealOnce(signer), { number: 2, fromId: 2, toId: 2 })
          assert.deepInclude(yield* sealOnce(signer), { number: 3, fromId: 3, toId: 5 })
          assert.isNull(yield* sealOnce(signer))
          yield* signer.verify
        })
      )
      assert.lengthOf([...state.auditSeals], 3)
    }).pipe(Effect.scoped))

  test("makes no seal after one that another was stored for", (state) =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* append(1)
      const seal = yield* signing(directory, (signer) => signer.seal(0))
      if (seal === null) return assert.fail("there is something to seal")
      state.auditSeals.set(1, { ...seal, mac: "0".repeat(64) })
      yield* append(1)
      assert.match(yield* foundBy(signing(directory, sealOnce)), /Seal 1 was replaced: the signer has made another/u)
      state.auditSeals.clear()
      assert.deepStrictEqual(yield* signing(directory, sealOnce), seal)
      return undefined
    }).pipe(Effect.scoped))

  test("goes on from a restored log by a person's word, and believes none that was cut after that", (state) =>
    Effect.gen(function* () {
      const directory = yield* folder
      for (let round = 0; round < 3; round += 1) {
        yield* append(2)
        yield* signing(directory, sealOnce)
      }
      state.audit.splice(3)
      for (const number of [2, 3]) state.auditSeals.delete(number)
      assert.match(yield* foundBy(signing(directory, sealOnce)), /Seals 2 to 3 were taken out/u)
      const givenUp = yield* Effect.scoped(
        Effect.flatMap(openStore({ directory }, view), (store) =>
          Effect.provideService(givesUp(store, 1), SigningView, view)
        )
      )
      assert.isTrue(givenUp.isTaken)
      yield* append(2)
      const seal = yield* signing(directory, (signer) => Effect.tap(sealOnce(signer), () => signer.verify))
      assert.deepInclude(seal, { number: 2, fromId: 3, toId: 5 })
      state.audit.splice(4)
      assert.match(yield* foundBy(signing(directory, sealOnce)), /Records 5 to 5 were cut off/u)
    }).pipe(Effect.scoped))

  test("gives up no more of the log than was read, and believes none that was cut since, before anything is sealed", (state) =>
    Effect.gen(function* () {
      const directory = yield* folder
      for (let round = 0; round < 3; round += 1) {
        yield* append(2)
        yield* signing(directory, sealOnce)
      }
      state.audit.splice(5)
      state.auditSeals.delete(3)
      const opens = openStore({ directory }, view)
      const says = (name?: string) =>
        Effect.scoped(Effect.flatMap(opens, (store) => takeRestored(store, name))).pipe(
          Effect.provideService(SigningView, view)
        )
      const { lost, name } = yield* says()
      assert.match(
        lost.join(),
        /^seal 3 .*; the newest that is left: seal 2, over records up to 4, and record 5 with the hash [0-9a-f]{64}$/u
      )
      const rest = state.audit.splice(3)
      const other = yield* says(name)
      assert.isFalse(other.isTaken)
      assert.match(other.lost.join(), /and record 3 with the hash/u)
      state.audit.push(...rest)
      assert.isFalse((yield* says()).isTaken)
      assert.isTrue((yield* says(name)).isTaken)
      // once more, before the signer starts
      state.audit.splice(3)
      state.auditSeals.delete(2)
      assert.match(yield* foundBy(signing(directory, sealOnce)), /Records up to 5 were cut off or rewritten/u)
      const seen = Effect.scoped(
        Effect.flatMap(opens, (store) => Effect.map(lookForRollback(store), () => store.register.rolledBack()))
      ).pipe(Effect.provideService(SigningView, view))
      assert.match((yield* seen)?.what ?? "", /the audit log had record 5/u)
      const again = yield* says()
      assert.match(again.lost[0] ?? "", /^record 5 of the audit log, with the hash .*: seal 1, .*, and record 3 with/u)
      assert.isTrue((yield* says(again.name)).isTaken)
      assert.deepInclude(yield* signing(directory, sealOnce), { number: 2, fromId: 3, toId: 3 })
    }).pipe(Effect.scoped))

  test("holds a log that was given up to the end that was listed, though the seal that is left was taken over", (state) =>
    Effect.gen(function* () {
      const directory = yield* folder
      for (let round = 0; round < 3; round += 1) {
        yield* append(2)
        yield* signing(directory, sealOnce)
      }
      state.audit.splice(5)
      state.auditSeals.delete(3)
      yield* takesLog(directory)
      const [fifth] = state.audit.splice(4)
      assert.match(yield* foundBy(signing(directory, sealOnce)), /Records up to 5 were cut off or rewritten/u)
      if (fifth === undefined) return assert.fail("there are five records")
      state.audit.push(fifth)
      // seal 2 is taken over, and nothing new is sealed: the signer ends in between
      yield* signing(directory, ({ seal }) => seal(2)).pipe(
        Effect.provideServiceEffect(
          OperatorAudit,
          Effect.map(OperatorAudit, (audit) => ({
            ...audit,
            after: (id: number, limit: number) => (id === 4 && limit > 1 ? Effect.interrupt : audit.after(id, limit))
          }))
        ),
        Effect.exit
      )
      state.audit.splice(4)
      assert.match(yield* foundBy(signing(directory, sealOnce)), /Records up to 5 were cut off or rewritten/u)
      assert.match(yield* foundBy(signing(directory, ({ verify }) => verify)), /Records up to 5 were cut off/u)
      yield* append(1)
      assert.match(yield* foundBy(signing(directory, sealOnce)), /Records up to 5 were cut off or rewritten/u)
      assert.strictEqual(yield* rollbackSeen(directory), "the audit log had record 5")
      yield* takesLog(directory)
      assert.deepInclude(yield* signing(directory, sealOnce), { number: 3, fromId: 5, toId: 5 })
      return undefined
    }).pipe(Effect.scoped))

  test("holds a log that was given up to the end that was listed, though that is further than one seal reaches", (state) =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* append(2)
      yield* signing(directory, sealOnce)
      yield* append(10_005)
      yield* signing(directory, (signer) => Effect.andThen(sealOnce(signer), sealOnce(signer)))
      state.audit.splice(10_006)
      for (const number of [2, 3]) state.auditSeals.delete(number)
      yield* takesLog(directory)
      assert.deepInclude(yield* signing(directory, sealOnce), { number: 2, toId: 10_002 })
      const rest = state.audit.splice(10_002)
      assert.match(yield* foundBy(signing(directory, sealOnce)), /Records up to 10006 were cut off or rewritten/u)
      assert.strictEqual(yield* rollbackSeen(directory), "the audit log had record 10006")
      state.audit.push(...rest)
      assert.deepInclude(yield* signing(directory, sealOnce), { number: 3, toId: 10_006 })
      yield* signing(directory, ({ verify }) => verify)
    }).pipe(Effect.scoped))

  test("shows that the database was rolled back at the start of the signer, unless the newest seal alone is missing", (state) =>
    Effect.gen(function* () {
      const directory = yield* folder
      for (let round = 0; round < 3; round += 1) {
        yield* append(2)
        yield* signing(directory, sealOnce)
      }
      const looked = Effect.scoped(
        Effect.flatMap(openStore({ directory }, view), (store) =>
          Effect.as(Effect.provideService(lookForRollback(store), SigningView, view), store)
        )
      )
      const unreadable = Effect.map(OperatorAudit, (audit) => ({ ...audit, after: () => Effect.die("no JSON") }))
      const unread = Effect.provideServiceEffect(looked, OperatorAudit, unreadable)
      assert.isUndefined((yield* unread).register.rolledBack(), "a row that cannot be read says nothing")
      state.auditSeals.delete(3)
      assert.isUndefined((yield* looked).register.rolledBack())
      state.audit.splice(4)
      assert.match((yield* looked).register.rolledBack()?.what ?? "", /the audit log had what seal 3 covers/u)
      // a restart forgets nothing
      assert.match((yield* looked).register.rolledBack()?.what ?? "", /seal 3/u)
    }).pipe(Effect.scoped))

  test("seals nothing on what it remembers of another key of that id, and goes on under the right one", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* append(2)
      yield* signing(directory, sealOnce)
      yield* append(2)
      const other = { current: "first", byId: new Map([["first", Redacted.make(new Uint8Array(32).fill(9))]]) }
      assert.match(
        yield* foundBy(signing(directory, sealOnce, { keys: other })),
        /Seal 1 was not made with the signer's key/u
      )
      const next = yield* signing(directory, (signer) => Effect.tap(sealOnce(signer), () => signer.verify))
      assert.deepInclude(next, { number: 2, fromId: 3 })
    }).pipe(Effect.scoped))

  test("takes a log for right whose newest seal it remembers, once the master key was replaced, and seals on under the new one", (state) =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* append(2)
      yield* signing(directory, sealOnce)
      // the rotation: nothing that an operator does is logged before the old key is gone
      yield* signing(directory, ({ verify }) => verify, { keys: keysOf("second", "first") })
      const rotated = { keys: keysOf("second") }
      yield* signing(directory, ({ verify }) => verify, rotated)
      const one = lastOf(state.auditSeals)
      state.auditSeals.set(1, { ...one, keyId: "gone" })
      assert.match(
        yield* foundBy(signing(directory, ({ verify }) => verify, rotated)),
        /Seal 1 was made under the master key gone/u
      )
      state.auditSeals.set(1, one)
      yield* append(1)
      const next = yield* signing(directory, (signer) => Effect.tap(sealOnce(signer), () => signer.verify), rotated)
      assert.deepInclude(next, { number: 2, fromId: 3, keyId: "second" })
      // a store made anew remembers nothing: the second, whose key is here, stands for both
      yield* signing(directory, ({ verify }) => verify, { ...rotated, word: "recover" })
    }).pipe(Effect.scoped))

  test("with a store made anew goes on after its own seals, and after no others", (state) =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* append(2)
      yield* signing(directory, sealOnce)
      yield* append(2)
      const next = yield* signing(yield* folder, sealOnce, { word: "recover", keys: keysOf("second", "first") })
      assert.deepInclude(next, { number: 2, fromId: 3, keyId: "second" })
      // the key of the first is gone: the second, which is here, stands for it
      yield* signing(yield* folder, ({ verify }) => verify, { word: "recover", keys: keysOf("second") })
      const [one, two] = [state.auditSeals.get(1), state.auditSeals.get(2)]
      if (one === undefined || two === undefined) return assert.fail("there are two seals")
      yield* append(1)
      state.auditSeals.set(1, { ...one, at: one.at + 1 })
      const altered = signing(yield* folder, sealOnce, { word: "recover", keys: keysOf("second") })
      assert.match(yield* foundBy(altered), /Seal 2 does not follow on the one before/u)
      state.auditSeals.set(1, one)
      state.auditSeals.set(2, { ...two, mac: "0".repeat(64) })
      const forged = signing(yield* folder, sealOnce, { word: "recover", keys: keysOf("second") })
      assert.match(yield* foundBy(forged), /Seal 2 was not made with the signer's key/u)
      return undefined
    }).pipe(Effect.scoped))
})

const lastOf = (seals: ReadonlyMap<number, AuditSeal>): AuditSeal => {
  const last = [...seals.values()].at(-1)
  return last ?? assert.fail("there are seals")
}
