import { type AuditRecord, firstHash } from "@bursar/core/audit/AuditRecord"
import { type AuditSeal, nextSeal } from "@bursar/core/audit/AuditSeal"
import { hashOf } from "@bursar/core/audit/chained"
import { type MacVerdict, type SealEvidence, verifySeals } from "@bursar/core/checker/verifySeals"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** A chain of so many records, in which one may say something else. */
const chain = Effect.fnUntraced(function* (length: number, changed?: number) {
  const records: Array<AuditRecord> = []
  for (let id = 1; id <= length; id += 1) {
    const record: AuditRecord = {
      ...{ id, previousHash: records.at(-1)?.hash ?? firstHash, hash: "", actionId: `a${id}`, at: id },
      ...{ operator: id === changed ? "mallory" : "otto", role: "OPERATOR", method: "POST", route: "/other" },
      ...{ params: {}, status: 200, requestId: "r", address: "", content: null }
    }
    records.push({ ...record, hash: yield* hashOf(record) })
  }
  return records
})

/** Seals over records, one after the other up to each of some. */
const sealed = Effect.fnUntraced(function* (records: ReadonlyArray<AuditRecord>, ...upTo: ReadonlyArray<number>) {
  const seals: Array<AuditSeal> = []
  for (const id of upTo) {
    const head = { id, hash: records[id - 1]?.hash ?? "" }
    const seal = yield* nextSeal(seals.at(-1), head, { at: id, keyId: "k" })
    seals.push({ ...seal, mac: `mac-${seal.number}` })
  }
  return seals
})

const found = (
  records: ReadonlyArray<AuditRecord>,
  seals: ReadonlyArray<AuditSeal>,
  evidence: SealEvidence = {},
  reads: Array<number> = []
) =>
  verifySeals(evidence).pipe(
    Effect.provideService(
      OperatorAudit,
      OperatorAudit.of({
        append: () => Effect.die("nothing is written"),
        after: (id, limit) => Effect.succeed(records.filter((one) => one.id > id).slice(0, limit)),
        before: () => Effect.die("it is read from the beginning")
      })
    ),
    Effect.provideService(
      AuditSeals,
      AuditSeals.of({
        add: () => Effect.die("nothing is written"),
        after: (number, limit) =>
          Effect.sync(() => {
            reads.push(number)
            const page = seals.filter((one) => one.number > number).slice(0, limit)
            // as the adapter of a database does where a row is of another form
            if (page.some((one) => one.at === Infinity)) throw new Error("a moment was expected")
            return page
          }),
        last: Effect.die("all are read")
      })
    )
  )

/** What is found is this alone. */
const finds = (mistakes: ReadonlyArray<string>, ...whats: ReadonlyArray<RegExp>) => {
  assert.strictEqual(mistakes.length, whats.length, mistakes.join(" "))
  for (const [at, what] of whats.entries()) assert.match(mistakes[at] ?? "", what)
}

const at = <A>(all: ReadonlyArray<A>, index: number): A => all[index] ?? assert.fail(`there is no ${index}`)

describe("the seals of the log", () => {
  it.effect("are right where each covers the records after those of the one before", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const seals = yield* sealed(records, 2, 3, 5)
      finds(yield* found(records, seals))
      finds(yield* found([], []))
      finds(yield* found(records, []))
      finds(yield* found(records, seals.slice(0, 2)))
      const right = { judge: (): MacVerdict => "right", remembered: at(seals, 2), anchors: seals } as const
      finds(yield* found(records, seals, right))
    })
  )

  it.effect("are a chain of their own: none is missing, changed or over other records", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const seals = yield* sealed(records, 2, 3, 5)
      finds(yield* found(records, seals.slice(1)), /^Seal 1 is missing: after it comes 2\.$/u)
      finds(yield* found(records, seals.toSpliced(1, 1)), /^Seal 2 is missing: after it comes 3\.$/u)
      const other = seals.with(0, { ...at(seals, 0), mac: "other" })
      finds(yield* found(records, other), /^Seal 2 does not follow/u)
      const orphan = [{ ...at(seals, 0), previous: "11".repeat(32) }]
      finds(yield* found(records, orphan), /^Seal 1 does not follow/u)
      for (const more of [{ fromId: 4 }, { fromId: 2 }]) {
        const wrong = [at(seals, 0), { ...at(seals, 1), ...more }]
        finds(yield* found(records, wrong), /^Seal 2 does not cover the records that come after/u)
      }
      finds(yield* found(records, [{ ...at(seals, 0), fromId: 2 }]), /^Seal 1 does not cover/u)
      const nothing = { ...at(seals, 1), toId: 2, hash: at(records, 1).hash }
      finds(yield* found(records, [at(seals, 0), nothing]), /^Seal 2 does not cover/u)
      const one = [at(seals, 0), at(seals, 1)]
      assert.strictEqual(at(one, 1).fromId, at(one, 1).toId)
      finds(yield* found(records, one))
    })
  )

  it.effect("are wrong where one cannot be read, and are read on behind it", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const seals = yield* sealed(records, 2, 3, 5)
      const changed = (index: number) => seals.with(index, { ...at(seals, index), at: Infinity })
      const cannot = (number: number) => new RegExp(`^Seal ${number} cannot be read: it was changed\\.$`, "u")
      finds(yield* found(records, changed(1)), cannot(2), /^Seal 2 is missing: after it comes 3\.$/u)
      finds(yield* found(records, changed(2)), cannot(3))
    })
  )

  it.effect("are made with the signer's key: of the older ones it may be gone", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const seals = yield* sealed(records, 2, 3, 5)
      const judge = (number: number, verdict: MacVerdict) => ({
        judge: (seal: AuditSeal) => (seal.number === number ? verdict : "right")
      })
      for (const number of [1, 2, 3])
        finds(
          yield* found(records, seals, judge(number, "wrong")),
          new RegExp(`^Seal ${number} was not made with the signer's key`, "u")
        )
      finds(yield* found(records, seals, judge(3, "unknown key")), /^Seal 3 was made under the master key k,/u)
      for (const number of [1, 2]) finds(yield* found(records, seals, judge(number, "unknown key")))
    })
  )

  it.effect("need no key where the signer remembers the newest itself, as it is or as the one before its own", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const seals = yield* sealed(records, 2, 3, 5)
      const [one, two, three] = [at(seals, 0), at(seals, 1), at(seals, 2)]
      // what a rotation of the master key leaves where no operator has done anything since
      const judge = (): MacVerdict => "unknown key"
      finds(yield* found(records, seals, { judge, remembered: three }))
      finds(yield* found(records, [one, two], { judge, remembered: three }))
      // who owns the database may call any key unknown: what the signer does not remember to the letter is no seal of it
      const other = [one, two, { ...three, keyId: "gone" }]
      finds(yield* found(records, other, { judge, remembered: three }), /^Seal 3 was made under the master key gone,/u)
      finds(yield* found(records, seals, { judge }), /^Seal 3 was made under the master key k,/u)
      const replaced = [one, { ...two, keyId: "gone" }]
      finds(
        yield* found(records, replaced, { judge, remembered: three }),
        /^Seal 2 was made under the master key gone,/u
      )
    })
  )

  it.effect("are those that the signer remembers", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const seals = yield* sealed(records, 2, 3, 5)
      const [one, two, three] = [at(seals, 0), at(seals, 1), at(seals, 2)]
      finds(yield* found(records, seals, { remembered: two }), /^Seal 3 was put in: the signer has made 2\.$/u)
      const replaced = { ...three, mac: "other" }
      finds(
        yield* found(records, seals, { remembered: replaced }),
        /^Seal 3 was replaced: the signer has made another/u
      )
      finds(yield* found(records, [one, two], { remembered: three }))
      finds(yield* found(records, [one], { remembered: three }), /^Seals 2 to 3 were taken out/u)
      finds(yield* found(records, [], { remembered: one }))
      finds(yield* found(records, [], { remembered: three }), /^The seals were emptied: the signer has made 3\.$/u)
    })
  )

  it.effect("are those that were put down outside", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const seals = yield* sealed(records, 2, 3, 5)
      finds(yield* found(records, seals, { anchors: [at(seals, 1)] }))
      finds(
        yield* found(records, seals.slice(0, 2), { anchors: seals }),
        /^Seal 3 was taken out: the anchor has it\.$/u
      )
      const other = { ...at(seals, 1), mac: "other" }
      finds(
        yield* found(records, seals, { anchors: [at(seals, 0), other] }),
        /^Seal 2 was replaced: the anchor has another\.$/u
      )
    })
  )

  it.effect("are read to the last, page by page", () =>
    Effect.gen(function* () {
      const records = yield* chain(1_001)
      const seals = yield* sealed(records, ...records.map(({ id }) => id))
      const reads: Array<number> = []
      finds(yield* found(records, seals, { remembered: at(seals, 1_000) }, reads))
      assert.deepStrictEqual(reads, [0, 1_000])
    })
  )
})

describe("the log under its seals", () => {
  it.effect("was rewritten where a seal covers others, from the last right one on", () =>
    Effect.gen(function* () {
      const seals = yield* sealed(yield* chain(5), 2, 3, 5)
      const from = (id: number) => chain(5, id)
      finds(yield* found(yield* from(1), seals), /^Records 1 to 2 were rewritten.*: seal 1 covers others/u)
      finds(yield* found(yield* from(3), seals), /^Records 3 to 3 were rewritten.*: seal 2 covers others/u)
      finds(yield* found(yield* from(4), seals), /^Records 4 to 5 were rewritten.*: seal 3 covers others/u)
      finds(yield* found(yield* chain(6, 6), seals))
    })
  )

  it.effect("was cut off or emptied where a seal covers more", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const seals = yield* sealed(records, 2, 3, 5)
      finds(yield* found(records.slice(0, 4), seals), /^Records 5 to 5 were cut off: seal 3 covers them\.$/u)
      finds(yield* found(records.slice(0, 2), seals), /^Records 3 to 5 were cut off: seal 3 covers them\.$/u)
      finds(yield* found([], seals), /^The log was emptied: seal 3 covers 5 records\.$/u)
    })
  )

  it.effect(
    "is held against the seal that the signer remembers and those that were put down, whatever the stored ones say",
    () =>
      Effect.gen(function* () {
        const seals = yield* sealed(yield* chain(5), 2, 5)
        const records = yield* chain(5, 4)
        const made = yield* sealed(records, 2, 5)
        const last = { ...at(made, 1), mac: "forged" }
        const forged = [at(made, 0), last]
        finds(
          yield* found(records, forged, { remembered: at(seals, 1) }),
          /^Seal 2 was replaced: the signer/u,
          /^Records 3 to 5 were rewritten.*: seal 2, which the signer remembers, covers others/u
        )
        finds(
          yield* found(records, forged, { anchors: [at(seals, 1)] }),
          /^Seal 2 was replaced: the anchor/u,
          /^Records 3 to 5 were rewritten.*: the anchor of seal 2 covers others/u
        )
        const short = yield* chain(2)
        finds(
          yield* found(short, [at(seals, 0)], { remembered: at(seals, 1) }),
          /^Records 3 to 5 were cut off: seal 2, which the signer remembers, covers them\.$/u
        )
        finds(
          yield* found(short, [at(seals, 0)], { remembered: at(seals, 0), anchors: [at(seals, 1)] }),
          /^Seal 2 was taken out: the anchor/u,
          /^Records 3 to 5 were cut off: the anchor of seal 2 covers them\.$/u
        )
      })
  )

  it.effect("is told the first break of its chain, and what its seals say beside", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const seals = yield* sealed(records, 2, 5)
      const changed = records.with(3, { ...at(records, 3), operator: "mallory" })
      finds(yield* found(changed, seals), /^Record 4 was changed/u)
      const twice = changed.with(4, { ...at(records, 4), operator: "mallory" })
      finds(yield* found(twice, seals), /^Record 4 was changed/u)
      const without = records.toSpliced(1, 1)
      finds(yield* found(without, seals), /^Record 2 is missing/u, /^Records 1 to 2 were rewritten/u)
    })
  )

  it.effect("are not needed for a hash of the log that somebody noted: it stands there, or records were cut off", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const head = at(records, 3).hash
      finds(yield* found(records, [], { heads: [head, at(records, 0).hash] }))
      // whoever cuts the log off cuts its seals off, too
      finds(
        yield* found(records.slice(0, 3), [], { heads: [head] }),
        new RegExp(`^No record has the hash ${head}, which was noted: records were cut off or replaced\\.$`, "u")
      )
      finds(yield* found(yield* chain(5, 2), [], { heads: [head] }), /^No record has the hash/u)
    })
  )
})
