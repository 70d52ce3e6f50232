import type { Fence } from "@bursar/core/engine/fenced"
import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { ChainError } from "@bursar/core/port/Chain"
import { allCustodians, allFiatProviders } from "@bursar/core/port/EarlierProviders"
import { type Fenced, Leadership } from "@bursar/core/port/Leadership"
import { Networks } from "@bursar/core/port/Networks"
import type { ProviderError } from "@bursar/core/port/ProviderError"
import { type PlaceBalance, Positions } from "@bursar/core/reconciliation/Positions"
import type { WatchState } from "@bursar/core/store/WatchState"
import { Cause, Clock, Effect, Exit, Layer, Metric } from "effect"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { foundTwice } from "@bursar/core/reconciliation/foundTwice"
import { booksOf } from "@bursar/core/reconciliation/statement/nameLines"
import { Statement } from "@bursar/core/reconciliation/statement/Statement"
import { depositAddresses, payoutWallets, providerPlace } from "@bursar/core/reconciliation/Place"
import { knownMissing } from "@bursar/core/reconciliation/recordObservation"
import { Queries } from "@bursar/core/store/Queries"
import * as nodeEgress from "../egress/nodeEgress.ts"
import { apart, lastingFailuresRemembered } from "../queue/apart.ts"
import { compareStatements } from "./compareStatements.ts"
import { type Finding, keyOf } from "./Finding.ts"
import { carryFound, carryJoined } from "./carryJoined.ts"
import { notingLeftOut, unlessUnreadable } from "./leftOut.ts"
import { beginSights, keepSights, noteLook, type Sight, tellUnseen } from "./Sight.ts"
import { poolsOf } from "./pools.ts"
import { readStatement } from "./readStatement.ts"
import { observeNetwork } from "./observeNetwork.ts"
import {
  bankKeeper,
  bookedAt,
  custodianKeeper,
  type Keeper,
  type KeepersTogether,
  observeProviders,
  together
} from "./observeProvider.ts"
import { raiseDueAlarms } from "./raiseDueAlarms.ts"
import { tellAlarms } from "./tellAlarms.ts"
import { isSurprising, type Judgeable, openBreaks, record, type RecordPorts } from "./record.ts"
import type { Recording } from "./Recording.ts"
import { defaultReconcileLimits, type ReconcileLimits } from "./ReconcileLimits.ts"

/** How the books are compared with the world. */
export interface ReconcilerOptions {
  readonly currencies: CurrencyTable
  readonly limits?: ReconcileLimits
}

/** What it stands on. */
export type ReconcilerPorts = Leadership | Networks | RecordPorts | WatchState

/** Some places that are looked at together. */
interface Subject {
  /** Its name for operators: a network, or a provider. */
  readonly name: string
  /** The places themselves. */
  readonly places: ReadonlyArray<string>
  /** What is compared before they are looked at: the statements of providers, each whatever becomes of the others. */
  readonly before?: (
    recording: Recording
  ) => ReadonlyArray<Effect.Effect<void, Fenced | ProviderError | StorageError, RecordPorts>>
  readonly look: Effect.Effect<
    ReadonlyArray<Finding>,
    ChainError | ProviderError | StorageError,
    Positions | Queries | WatchState
  >
  /** What the books say of it now, in a text that changes when something is booked, or a statement comes. */
  readonly booked: Effect.Effect<string, StorageError, Positions | Queries>
}

const digestOf = (balances: ReadonlyArray<PlaceBalance>): string =>
  balances.map(({ account, currency, units }) => `${account} ${currency} ${units}`).join()

const networkSubjects = Effect.fnUntraced(function* (currencies: CurrencyTable, limits: ReconcileLimits) {
  const { enabled, get } = yield* Networks
  return enabled.flatMap((network): ReadonlyArray<Subject> => {
    const adapter = get(network)
    if (adapter === undefined) return []
    return [
      {
        name: network,
        places: [payoutWallets(network).name, depositAddresses(network).name],
        look: observeNetwork({ adapter, currencies, waitMs: limits.waitMs }),
        booked: Positions.pipe(
          Effect.flatMap(({ chain }) => chain(network, Number.MAX_SAFE_INTEGER)),
          Effect.map(({ balances }) => digestOf(balances))
        )
      }
    ]
  })
})

/** The statements that were imported of a place, in a text that changes when one comes. */
const importedOf = (place: string) =>
  Effect.map(
    Effect.flatMap(Queries, ({ readable }) => readable(fleetTenantId, Statement, place)),
    ({ records }) => records.map(({ id, received }) => `${id} ${received.length}`).join()
  )

const providerSubjects = Effect.fnUntraced(function* (currencies: CurrencyTable, limits: ReconcileLimits) {
  const [custodians, banks] = [yield* allCustodians, yield* allFiatProviders]
  const books = [...booksOf("custodian", custodians), ...booksOf("bank", banks)]
  const ownBooks = ({ kind, name }: Keeper) =>
    books.filter(({ account, provider }) => account === kind && provider === name)
  const toldPools = new Map<Keeper, Effect.Success<Keeper["pools"]>>()
  const compareOwn = Effect.fnUntraced(function* (recording: Recording, keeper: Keeper) {
    const { networkFeeBorneBy, statement } = keeper
    const own = ownBooks(keeper)
    const read = yield* Effect.exit(
      statement === undefined
        ? Effect.void
        : Effect.forEach(own, (one) => readStatement(recording, one, statement), { discard: true })
    )
    const told = yield* Effect.exit(keeper.pools)
    if (Exit.isSuccess(told)) toldPools.set(keeper, told.value)
    // by the pools that it told last where it tells none; where it has told none yet, by each currency: what it finds too much goes once they are told
    const pools = poolsOf(toldPools.get(keeper) ?? [], currencies)
    // also where no statement was told: the balances are looked at next
    yield* carryJoined(recording, keeper, pools)
    // so is what was imported: that the interface tells none may be the reason for it
    for (const one of own) yield* compareStatements(recording, { books: one, networkFeeBorneBy }, pools)
    yield* read
    yield* told
  })
  const subjectOf = (keepers: KeepersTogether): Subject => {
    const { current, earlier } = keepers
    const all = [current, ...earlier].flatMap(ownBooks)
    return {
      name: providerPlace(current.kind, current.name).name,
      places: [current, ...earlier].map(({ kind, name }) => providerPlace(kind, name).name),
      before: (recording: Recording) => [current, ...earlier].map((keeper) => compareOwn(recording, keeper)),
      look: observeProviders(keepers, currencies, limits.statementGraceMs),
      booked: Effect.zipWith(
        bookedAt(current),
        Effect.forEach(all, ({ place }) => importedOf(place)),
        (balances, statements) => [digestOf(balances), ...statements].join(";")
      )
    }
  }
  return [...together(custodians.map(custodianKeeper)), ...together(banks.map(bankKeeper))].map(subjectOf)
})

/** Does something with a finding. What cannot be read of its currency and place, such as a break, keeps no other from being judged. */
const judging = <A, E, R>({ currency, place }: Finding, effect: Effect.Effect<A, E, R>) =>
  unlessUnreadable(`what ${currency} at ${place.name} is judged by`, effect)

/** Brings together the breaks that a finding is judged by, and reads them. Nothing where they cannot be read. */
const judgeableOf = (recording: Recording, finding: Finding) =>
  Effect.map(
    judging(finding, Effect.andThen(carryFound(recording, [finding]), openBreaks(finding))),
    (open): ReadonlyArray<Judgeable> => (open === undefined ? [] : [{ finding, open }])
  )

/**
 * Looks at some places, and a second time where something does not add up: what is under way is not always known in time, and only what
 * is found twice is a break, also while payouts leave all the time.
 */
const observe = Effect.fnUntraced(function* (recording: Recording, subject: Subject) {
  const look = Effect.gen(function* () {
    const found = yield* subject.look
    return (yield* Effect.forEach(found, (one) => judgeableOf(recording, one))).flat()
  })
  const first = yield* look
  if (!first.some(isSurprising))
    return yield* Effect.forEach(first, (one) => judging(one.finding, record(recording, one, "steady")), {
      discard: true
    })
  yield* Effect.sleep(recording.limits.secondLookMs)
  const before = new Map(first.map(({ finding }) => [keyOf(finding), finding.found]))
  const second = yield* look
  const recordSecond = (one: Judgeable) => {
    const { finding, open } = one
    const earlier = before.get(keyOf(finding))
    if (finding.found === null && earlier === null) return record(recording, one, "steady")
    const both = finding.found && earlier ? foundTwice(earlier, finding.found, knownMissing(open)) : null
    return both === null
      ? record(recording, one, "moving")
      : record(recording, { finding: { ...finding, found: both }, open }, "steady")
  }
  const judgeSecond = (one: Judgeable) =>
    judging(
      one.finding,
      Effect.suspend(() => recordSecond(one))
    )
  yield* Effect.forEach(second, judgeSecond, { discard: true })
})

const failures = Metric.counter("reconciliation_failed", {
  description: "Times that a place could not be compared with the books, by place",
  incremental: true
})

const countFailure = (place: string) => Metric.update(Metric.withAttributes(failures, { place }), 1)

/**
 * What keeps places from being compared whole is told, a defect such as a row that somebody has made unreadable too, and they are tried again: no others
 * wait. Gives it, in words; nothing where they were.
 */
const tolerating = <R>(
  name: string,
  effect: Effect.Effect<void, ChainError | Fenced | ProviderError | StorageError, R>
): Effect.Effect<ReadonlyArray<string>, Fenced, R> => {
  const told = (log: Effect.Effect<void>, reason: string) =>
    Effect.as(Effect.annotateLogs(log, { place: name, reason }), [reason])
  const failed = (reason: string) => told(Effect.logWarning("reconciliation.not_observed"), reason)
  const died = (defect: unknown) =>
    told(Effect.logWarning("reconciliation.not_observed", Cause.die(defect)), "an internal error")
  return notingLeftOut(effect).pipe(
    Effect.catchTags({
      ChainError: ({ message }) => failed(message),
      ProviderError: ({ message }) => failed(message),
      StorageError: (error) => Effect.as(logStorageError(error), ["the database failed"])
    }),
    Effect.catchDefect(died),
    Effect.tap((problems) => (problems.length === 0 ? Effect.void : countFailure(name)))
  )
}

/** Compares some places with the books again and again: by the clock, and soon after something was booked. */
const keepObserving = Effect.fnUntraced(function* (recording: Recording, subject: Subject, sight: Sight) {
  const { atLeastMs, everyMs, pollMs } = recording.limits
  let [seen, at] = ["", Number.NEGATIVE_INFINITY]
  for (;;) {
    const told = Effect.catch(subject.booked, (error) => Effect.as(logStorageError(error), seen))
    const booked = (yield* apart({ place: subject.name }, told)) ?? seen
    const age = (yield* Clock.currentTimeMillis) - at
    if (age >= everyMs || (booked !== seen && age >= atLeastMs)) {
      const problems: Array<string> = []
      for (const first of subject.before?.(recording) ?? []) problems.push(...(yield* tolerating(subject.name, first)))
      problems.push(...(yield* tolerating(subject.name, observe(recording, subject))))
      seen = booked
      at = yield* Clock.currentTimeMillis
      noteLook(sight, problems, at)
    }
    yield* Effect.sleep(pollMs)
  }
})

/** Does something again and again, beside the looks: none waits for it. */
const keepDoing = <R>(
  { atLeastMs }: ReconcileLimits,
  job: string,
  doing: Effect.Effect<void, Fenced | StorageError, R>
): Effect.Effect<never, Fenced, R> =>
  apart({ job }, Effect.catchTag(doing, "StorageError", logStorageError)).pipe(
    Effect.andThen(Effect.sleep(atLeastMs)),
    Effect.forever
  )

/**
 * Minds alarms again and again, beside the looks: whoever took something can keep others from looking, or keep them waiting. Begins once there was
 * time for a look, which closes what has gone meanwhile.
 */
const keepMinding = <R>(
  limits: ReconcileLimits,
  job: string,
  minding: Effect.Effect<void, Fenced | StorageError, R>
): Effect.Effect<never, Fenced, R> => Effect.delay(keepDoing(limits, job, minding), limits.everyMs)

/** Compares the books with networks, custodians and banks, without end, by one process of the fleet. */
export const run = Effect.fn("Reconciler.run")(function* ({
  currencies,
  limits = defaultReconcileLimits
}: ReconcilerOptions): Effect.fn.Return<never, never, ReconcilerPorts> {
  const subjects = [...(yield* networkSubjects(currencies, limits)), ...(yield* providerSubjects(currencies, limits))]
  const leadership = yield* Leadership
  const places = subjects.flatMap((subject) => subject.places)
  const lookAt = Effect.fnUntraced(function* (fence: Fence) {
    const recording = { currencies, fence, limits }
    const looked = yield* beginSights(subjects)
    const sights = looked.map(({ sight }) => sight)
    return yield* Effect.all(
      [
        keepMinding(limits, "raise alarms", raiseDueAlarms(recording, places)),
        keepMinding(limits, "tell alarms", tellAlarms(recording)),
        keepDoing(limits, "keep what is seen", keepSights(recording, sights)),
        keepMinding(limits, "tell what is not seen", tellUnseen(recording, sights)),
        ...looked.map(({ sight, subject }) => keepObserving(recording, subject, sight))
      ],
      { concurrency: "unbounded", discard: true }
    )
  })
  return yield* leadership.lead("reconciliation", (fence) => lastingFailuresRemembered(lookAt(fence)))
})

/** The reconciler as a process of a scope. */
export const layer = (options: ReconcilerOptions): Layer.Layer<never, never, ReconcilerPorts> =>
  Layer.effectDiscard(Effect.forkScoped(run(options))).pipe(Layer.provide(nodeEgress.layer))
