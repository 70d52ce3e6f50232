import { fleetTenantId } from "@bursar/core/grant/Grant"
import { shortfallOf } from "@bursar/core/ledger/Account"
import type { PostedLeg } from "@bursar/core/ledger/Leg"
import { ofKind, Operation } from "@bursar/core/operation/Operation"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { type Factors, type StatementBooks, Statements } from "@bursar/core/reconciliation/statement/Statements"
import { Statement, wholeOf } from "@bursar/core/reconciliation/statement/Statement"
import {
  type AboutOperation,
  isTold,
  linesAbout,
  StatementLine
} from "@bursar/core/reconciliation/statement/StatementLine"
import { Effect, Layer } from "effect"
import { compareText } from "./byAge.ts"
import { recordsOf, type State, Store } from "./Store.ts"

/** The operations of the tenants of an environment that are a provider's. */
const operationsOf = (state: State, { environment, provider, withAdjustments }: StatementBooks) =>
  [...state.tenants.values()]
    .filter(({ head }) => head.tenant.kind === environment)
    .flatMap((tenant) =>
      [...recordsOf(tenant, Operation).values()]
        .filter((one) => one.provider === provider || (withAdjustments && one.provider === null))
        .map((operation) => ({ operation, tenant }))
    )

const legsAt = (legs: ReadonlyArray<PostedLeg>, { account }: StatementBooks, operationId: string) =>
  legs.filter(
    (leg) => leg.operationId === operationId && (leg.account === account || leg.account === shortfallOf(account))
  )

const sumOf = (legs: ReadonlyArray<PostedLeg>, factors: Factors): bigint =>
  legs.reduce(
    (sum, { currency, direction, units }) =>
      sum + (factors.get(currency) ?? 0n) * (direction === "DEBIT" ? units : -units),
    0n
  )

/** What an adjustment corrects, if it corrects anything. */
const correctedBy = (operation: Operation): string | undefined =>
  operation.kind === "ADJUSTMENT" ? ofKind(operation, "ADJUSTMENT").details.corrects : undefined

/** The operation that one stands for beside statements: that which it corrects, else itself. */
const subjectOf = (state: State, one: AboutOperation): AboutOperation => {
  const tenant = state.tenants.get(one.tenantId)
  const operations = tenant === undefined ? undefined : recordsOf(tenant, Operation)
  const found = operations?.get(one.operationId)
  const corrects = found === undefined ? undefined : correctedBy(found)
  return corrects !== undefined && operations?.has(corrects) === true ? { ...one, operationId: corrects } : one
}

const eachOnce = (all: ReadonlyArray<AboutOperation>): ReadonlyArray<AboutOperation> => [
  ...new Map(all.map((one) => [one.operationId, one])).values()
]

/** What was booked at once, by the moments. */
const sumsAt = (legs: ReadonlyArray<PostedLeg>, factors: Factors): ReadonlyArray<bigint> =>
  [...Map.groupBy(legs, ({ postedAt }) => postedAt).values()].map((some) => sumOf(some, factors))

const total = (all: ReadonlyArray<bigint>): bigint => all.reduce((sum, units) => sum + units, 0n)

/** The bookings at providers beside the lines of their statements, in memory. */
export const layer = Layer.effect(
  Statements,
  Effect.map(Store, (state) => {
    const lines = () => {
      const fleet = state.tenants.get(fleetTenantId)
      return fleet === undefined ? [] : [...recordsOf(fleet, StatementLine).values()]
    }
    const linesOf = (place: string, operationId: string) => {
      const fleet = state.tenants.get(fleetTenantId)
      const all = fleet === undefined ? [] : [...recordsOf(fleet, Statement).values()]
      const whole = wholeOf(all.filter((one) => one.place === place))
      return lines().filter(
        (line) => StatementLine.group(line) === linesAbout(place, operationId) && isTold(line, whole)
      )
    }
    return Statements.of({
      named: (books, names) =>
        Effect.sync(() => {
          const found = operationsOf(state, { ...books, withAdjustments: false })
          return new Map(
            names.flatMap((name) => {
              const [one, ...others] = found.filter(
                ({ operation: { id, providerReference } }) => id === name || providerReference === name
              )
              if (one === undefined || others.length > 0) return []
              return [[name, { operationId: one.operation.id, tenantId: one.operation.tenantId }] as const]
            })
          )
        }),
      touched: (books, { from, to }, { after, limit }) =>
        Effect.sync(() => {
          const isIn = (at: number | null) => at !== null && at >= from && at < to
          const booked = operationsOf(state, books)
            .filter(
              ({ operation, tenant }) =>
                legsAt(tenant.legs, books, operation.id).some(({ postedAt }) => isIn(postedAt)) ||
                (operation.provider === books.provider && isIn(operation.settledAt))
            )
            .map(({ operation: { id: operationId, tenantId } }) => ({ operationId, tenantId }))
          const told = lines().flatMap(({ about, at, place }) =>
            place === books.place && isIn(at) && about !== null ? [about] : []
          )
          return eachOnce([...booked, ...told].map((one) => subjectOf(state, one)))
            .filter(({ operationId }) => after === null || operationId > after)
            .toSorted((one, other) => compareText(one.operationId, other.operationId))
            .slice(0, limit)
        }),
      compared: (books, operations, factors, since) =>
        Effect.sync(() =>
          eachOnce(operations.map((one) => subjectOf(state, one)))
            .flatMap(({ operationId, tenantId }) => {
              const tenant = state.tenants.get(tenantId)
              const operation = tenant === undefined ? undefined : recordsOf(tenant, Operation).get(operationId)
              if (tenant === undefined || operation === undefined) return []
              const isHere = operation.provider === null || operation.provider === books.provider
              const own = isHere ? [operationId] : []
              const corrections = [...recordsOf(tenant, Operation).values()].flatMap((one) =>
                books.withAdjustments && correctedBy(one) === operationId ? [one.id] : []
              )
              const legsOf = (ids: ReadonlyArray<string>) =>
                ids.flatMap((id) => legsAt(tenant.legs, books, id)).filter(({ currency }) => factors.has(currency))
              const all = [...own, ...corrections]
              const legs = legsOf(all)
              const isSince = ({ postedAt }: PostedLeg) => postedAt >= since
              const shown = [operationId, ...corrections]
                .flatMap((id) => linesOf(books.place, id))
                .map(({ currency, units }) => (factors.get(currency) ?? 0n) * units)
              return [
                {
                  operationId,
                  tenantId,
                  createdAt: operation.createdAt,
                  isOver: isOver(operation.status),
                  booked: sumOf(legs, factors),
                  bookedSince: sumOf(legs.filter(isSince), factors),
                  correctedSince: sumOf(legsOf(corrections).filter(isSince), factors),
                  bookedIn: total(all.flatMap((id) => sumsAt(legsOf([id]), factors)).filter((units) => units > 0n)),
                  bookedAt: legs.length === 0 ? null : Math.max(...legs.map(({ postedAt }) => postedAt)),
                  shown: total(shown),
                  shownIn: total(shown.filter((units) => units > 0n))
                }
              ]
            })
            .toSorted((one, other) => compareText(one.operationId, other.operationId))
        ),
      unshown: (books, { factors, units }, { around, limit, withinMs }) =>
        Effect.sync(() =>
          operationsOf(state, books)
            .flatMap(({ operation: { id, tenantId }, tenant }) => {
              const near = legsAt(tenant.legs, books, id).filter(
                ({ currency, postedAt }) => factors.has(currency) && Math.abs(postedAt - around) <= withinMs
              )
              const isSame = (one: bigint) => one !== 0n && one > 0n === units > 0n
              const legs = [...Map.groupBy(near, ({ postedAt }) => postedAt).values()]
                .filter((some) => isSame(sumOf(some, factors)))
                .flat()
              const [first] = legs
              if (
                first === undefined ||
                sumOf(legs, factors) !== units ||
                linesOf(books.place, id).some((line) => isSame(line.units))
              )
                return []
              return [{ operationId: id, tenantId, at: first.postedAt }]
            })
            .toSorted(
              (one, other) =>
                Math.abs(one.at - around) - Math.abs(other.at - around) ||
                compareText(one.operationId, other.operationId)
            )
            .slice(0, limit)
        )
    })
  })
)
