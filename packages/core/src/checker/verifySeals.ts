import { Effect } from "effect"
import { type AuditRecord, firstHash } from "../audit/AuditRecord.ts"
import { type AuditSeal, digestOf } from "../audit/AuditSeal.ts"
import type { StorageError } from "../engine/StorageError.ts"
import { AuditSeals } from "../port/AuditSeals.ts"
import type { OperatorAudit } from "../port/OperatorAudit.ts"
import { isLastPage, type NumberedRow, readNumbered } from "./readNumbered.ts"
import { type Link, walkChain } from "./verifyChain.ts"

/** The rule on the log of operators' actions and its seals. */
export const auditSeals = {
  name: "audit-seals",
  rule: "the log of operators' actions is what its seals, and the anchors that are given, say of it"
} as const

/** What a seal's MAC is worth to whoever has keys: some may be gone. */
export type MacVerdict = "right" | "wrong" | "unknown key"

/** What the log and its seals are compared with. */
export interface SealEvidence {
  /** Given by whoever has the keys of seals. */
  readonly judge?: (seal: AuditSeal) => MacVerdict
  /** The newest seal that the signer remembers. */
  readonly remembered?: AuditSeal
  /** Seals that were put down outside. */
  readonly anchors?: ReadonlyArray<AuditSeal>
  /** Hashes of records that were noted outside. */
  readonly heads?: ReadonlyArray<string>
}

/** What a seal says of a record. */
interface Expected {
  readonly id: number
  readonly hash: string
  readonly what: string
}

const sealsPerRead = 1_000

/** All seals that can be read, and the first that cannot: somebody has changed it. */
const readSeals = Effect.fnUntraced(function* () {
  const { after } = yield* AuditSeals
  const seals: Array<AuditSeal> = []
  let unreadable: number | undefined
  let last = 0
  while (true) {
    const rows: ReadonlyArray<NumberedRow<AuditSeal>> = yield* readNumbered(
      { after, numberOf: (seal) => seal.number },
      last,
      sealsPerRead
    )
    for (const { number, row } of rows) {
      last = number
      if (row === undefined) unreadable ??= number
      else seals.push(row)
    }
    if (isLastPage(rows, sealsPerRead)) return { seals, unreadable }
  }
})

/** Says that a seal is not what anybody who keeps to the service has stored. */
const unreadableSeal = (number: number): string => `Seal ${number} cannot be read: it was changed.`

/** What is wrong with a seal that stands after another; null where nothing is. */
const mistakeInSeal = Effect.fnUntraced(function* (last: AuditSeal | undefined, seal: AuditSeal) {
  const number = (last?.number ?? 0) + 1
  if (seal.number !== number) return `Seal ${number} is missing: after it comes ${seal.number}.`
  if (seal.previous !== (last === undefined ? firstHash : yield* digestOf(last)))
    return `Seal ${number} does not follow on the one before: one of the two was changed.`
  return seal.fromId === (last?.toId ?? 0) + 1 && seal.toId >= seal.fromId
    ? null
    : `Seal ${number} does not cover the records that come after those of the one before.`
})

/** Whether a seal is to the letter what the signer remembers, or what the seal follows on that it remembers: then it is the signer's without any key. */
const isRemembered = Effect.fnUntraced(function* (seal: AuditSeal, remembered: AuditSeal | undefined) {
  if (remembered === undefined) return false
  const digest = yield* digestOf(seal)
  return digest === remembered.previous || digest === (yield* digestOf(remembered))
})

/** The first thing that is wrong with the seals among themselves; null where nothing is. */
const mistakeInSeals = Effect.fnUntraced(function* (
  seals: ReadonlyArray<AuditSeal>,
  { judge, remembered }: SealEvidence
) {
  for (const [index, seal] of seals.entries()) {
    const mistake = yield* mistakeInSeal(seals[index - 1], seal)
    if (mistake !== null) return mistake
    if (judge?.(seal) === "wrong") return `Seal ${seal.number} was not made with the signer's key.`
  }
  const last = seals.at(-1)
  // the newest stands for all before it, whose keys may be gone; its own may be, too, until the next one is made
  return last !== undefined && judge?.(last) === "unknown key" && !(yield* isRemembered(last, remembered))
    ? `Seal ${last.number} was made under the master key ${last.keyId}, which is not here.`
    : null
})

/** What the signer remembers otherwise; null where nothing is. */
const mistakeByMemory = (seals: ReadonlyArray<AuditSeal>, remembered: AuditSeal | undefined): string | null => {
  if (remembered === undefined) return null
  const last = seals.at(-1)?.number ?? 0
  const { mac, number } = remembered
  if (last > number) return `Seal ${last} was put in: the signer has made ${number}.`
  const same = seals[number - 1]
  if (same !== undefined) return same.mac === mac ? null : `Seal ${number} was replaced: the signer has made another.`
  // the newest may be on its way to the database
  if (last === number - 1) return null
  return last === 0
    ? `The seals were emptied: the signer has made ${number}.`
    : `Seals ${last + 1} to ${number} were taken out: the signer has made them.`
}

/** What was put down outside otherwise; null where nothing was. */
const mistakeByAnchors = (seals: ReadonlyArray<AuditSeal>, anchors: ReadonlyArray<AuditSeal>): string | null => {
  const byNumber = new Map(seals.map((seal) => [seal.number, seal]))
  const missing = anchors.find(({ number }) => !byNumber.has(number))
  if (missing !== undefined) return `Seal ${missing.number} was taken out: the anchor has it.`
  const other = anchors.find(({ mac, number }) => byNumber.get(number)?.mac !== mac)
  return other === undefined ? null : `Seal ${other.number} was replaced: the anchor has another.`
}

const expectedOf = (seals: ReadonlyArray<AuditSeal>, who: (seal: AuditSeal) => string): ReadonlyArray<Expected> =>
  seals.map((seal) => ({ id: seal.toId, hash: seal.hash, what: who(seal) }))

/** Is given each record on the way through the log, oldest first, with what is wrong with it and, where it can be read, what it says. */
export type SeeRecord = (link: Link, mistake: string | null, record: AuditRecord | undefined) => void

/** Compares the log with what seals say of it, and looks for hashes that were noted. */
const mistakesInLog = Effect.fnUntraced(function* (
  given: ReadonlyArray<Expected>,
  heads: ReadonlyArray<string>,
  see: SeeRecord
) {
  const missing = new Set(heads)
  const expected = given.toSorted((one, other) => one.id - other.id)
  const found: Array<string> = []
  let [next, records, rightTo, rewritten, broken] = [0, 0, 0, false, false]
  yield* walkChain(undefined, (record, mistake, read) => {
    see(record, mistake, read)
    records = record.id
    missing.delete(record.hash)
    if (mistake !== null && !broken) found.push(mistake)
    broken ||= mistake !== null
    const first = next
    while ((expected[next]?.id ?? Infinity) <= record.id) next += 1
    const due = expected.slice(first, next)
    // of several that speak of one record, one may be forged: it is right where all agree
    const wrong = due.find(({ hash, id }) => id !== record.id || hash !== record.hash)
    if (wrong === undefined && due.length > 0) rightTo = record.id
    if (wrong !== undefined && !rewritten) {
      rewritten = true
      found.push(
        `Records ${rightTo + 1} to ${wrong.id} were rewritten, or others put among them: ${wrong.what} covers others.`
      )
    }
    return undefined
  })
  const last = expected.at(-1)
  if (last !== undefined && records === 0) found.push(`The log was emptied: ${last.what} covers ${last.id} records.`)
  else if (last !== undefined && last.id > records)
    found.push(`Records ${records + 1} to ${last.id} were cut off: ${last.what} covers them.`)
  for (const head of missing)
    found.push(`No record has the hash ${head}, which was noted: records were cut off or replaced.`)
  return found
})

/** What a look through the log has found. */
export interface SealsFound {
  /** Everything that is wrong. */
  readonly findings: ReadonlyArray<string>
  /** The newest seal that was looked at: what was stored since is not known to be right. */
  readonly last: AuditSeal | undefined
}

/**
 * Compares the log of operators' actions with its seals, and both with what the signer remembers and with what was put down outside. Says
 * everything that is wrong: what was cut off, rewritten, put in, replaced or emptied. Without `judge`, `remembered`, `anchors` and `heads` it finds only
 * what the owner of the database did without care.
 */
export const lookThroughSeals = Effect.fn("audit.verifySeals")(function* (
  evidence: SealEvidence,
  see: SeeRecord = () => undefined
): Effect.fn.Return<SealsFound, StorageError, AuditSeals | OperatorAudit> {
  const { anchors = [], heads = [], remembered } = evidence
  const { seals, unreadable } = yield* readSeals()
  const own = remembered === undefined ? [] : [remembered]
  const ofSeals = [
    unreadable === undefined ? null : unreadableSeal(unreadable),
    yield* mistakeInSeals(seals, evidence),
    mistakeByMemory(seals, remembered),
    mistakeByAnchors(seals, anchors)
  ].filter((mistake) => mistake !== null)
  const expected = [
    ...expectedOf(seals, ({ number }) => `seal ${number}`),
    ...expectedOf(own, ({ number }) => `seal ${number}, which the signer remembers,`),
    ...expectedOf(anchors, ({ number }) => `the anchor of seal ${number}`)
  ]
  const ofLog = yield* mistakesInLog(expected, heads, see)
  return { findings: [...new Set([...ofSeals, ...ofLog])], last: seals.at(-1) }
})

/** What `lookThroughSeals` finds to be wrong. */
export const verifySeals = (evidence: SealEvidence) =>
  Effect.map(lookThroughSeals(evidence), ({ findings }) => findings)
