import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { ClosedPeriod, lastClosed, statementVersion } from "@bursar/core/period/ClosedPeriod"
import { closePeriod, objectionToClosing } from "@bursar/core/period/closePeriod"
import { type Period, periodEnd, periodOf } from "@bursar/core/period/Period"
import { periodRange } from "@bursar/core/period/periodRange"
import { Tenants } from "@bursar/core/port/Tenants"
import { everyTenant } from "@bursar/core/port/TenantList"
import { Journal } from "@bursar/core/store/Journal"
import { Queries } from "@bursar/core/store/Queries"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { noteAction } from "../middleware/actionNotes.ts"
import { orUnavailable, refusalError, submitPrepared } from "../refusals.ts"
import { digestsOf, makeStatements } from "./statements.ts"
import { digestNote } from "./verifying.ts"

/** Says whose month it is that cannot be closed. */
const naming =
  ({ slug }: Tenant) =>
  <A, R>(effect: Effect.Effect<A, ApiError, R>): Effect.Effect<A, ApiError, R> =>
    Effect.mapError(effect, (error) => {
      const { code, message } = error.error
      return code === "state_conflict" ? apiError(code, { message: `${slug}: ${message}` }) : error
    })

/** Closes months, of a tenant and of all. */
export const makeClosing = Effect.gen(function* () {
  const journal = yield* Journal
  const queries = yield* Queries
  const tenants = yield* Tenants
  const writer = yield* Writer
  const statements = yield* makeStatements

  /** What is known before a month is closed; refused at once where it cannot be, before its statement is made. */
  const lookAt = Effect.fnUntraced(function* ({ createdAt, id }: Pick<Tenant, "createdAt" | "id">, period: Period) {
    const closed = yield* orUnavailable(queries.records(id, ClosedPeriod))
    const first = yield* orUnavailable(journal.firstAfter(id, lastClosed(closed)?.through ?? 0))
    const firstBooked = first === undefined ? null : periodOf(first)
    const now = yield* Clock.currentTimeMillis
    const isClosed = closed.some((one) => one.period === period)
    const objection = objectionToClosing(period, { now, closed, firstBooked, tenantSince: createdAt })
    if (!isClosed && objection !== undefined) return yield* refusalError(objection)
    return { closed, firstBooked }
  })

  /**
   * Closes the month of a tenant, or finds it closed, and has the audit log say its digest at once: that of another may fail after it, and
   * this one stays closed.
   */
  const close = (tenant: Tenant, period: Period, closedBy: string): Effect.Effect<ClosedPeriod, ApiError> =>
    submitPrepared(writer, tenant.id, () =>
      Effect.gen(function* () {
        const { closed, firstBooked } = yield* lookAt(tenant, period)
        const there = closed.find((one) => one.period === period)
        if (there !== undefined) return closePeriod({ ...there, firstBooked })
        const range = yield* orUnavailable(
          Effect.provideService(periodRange(tenant.id, period, closed), Journal, journal)
        )
        const statement = yield* orUnavailable(statements.ofTenant(tenant, { ...range, period, statementVersion }))
        const digests = yield* orUnavailable(digestsOf(statement))
        return closePeriod({ ...range, ...digests, period, statementVersion, closedBy, firstBooked })
      })
    ).pipe(Effect.tap(({ csvSha256 }) => noteAction({ [digestNote(tenant.id)]: csvSha256 })))

  /**
   * Whether the first month of a tenant that is closed is a later one. It begins with the tenant's first posting, so nothing is in the month before,
   * and that can never be closed: no tenant keeps the service from closing it.
   */
  const beganLater = ({ id }: Tenant, period: Period) =>
    Effect.map(
      orUnavailable(queries.records(id, ClosedPeriod)),
      (closed) => closed.length > 0 && closed.every((one) => one.period > period)
    )

  /** Closes the month of every tenant that there was, then that of the service. Where one cannot be closed, none is. */
  const closeAll = Effect.fnUntraced(function* (period: Period, closedBy: string) {
    const all = yield* orUnavailable(everyTenant(tenants.list))
    const existing = all.filter(({ createdAt, id }) => id !== fleetTenantId && createdAt < periodEnd(period))
    const theirs = yield* Effect.filter(existing, (tenant) => Effect.map(beganLater(tenant, period), (later) => !later))
    yield* lookAt({ id: fleetTenantId, createdAt: 0 }, period)
    yield* Effect.forEach(theirs, (tenant) => naming(tenant)(lookAt(tenant, period)), { discard: true })
    yield* Effect.forEach(theirs, (tenant) => naming(tenant)(close(tenant, period, closedBy)), { discard: true })
    return yield* submitPrepared(writer, fleetTenantId, () =>
      Effect.gen(function* () {
        const there = yield* orUnavailable(queries.record(fleetTenantId, ClosedPeriod, period))
        if (there !== undefined) return closePeriod({ ...there, firstBooked: null })
        const digests = yield* orUnavailable(
          Effect.flatMap(statements.ofService({ period, statementVersion }), digestsOf)
        )
        const range = { after: 0, through: 0 }
        return closePeriod({ ...range, ...digests, period, statementVersion, closedBy, firstBooked: null })
      })
    )
  })

  return { close, closeAll }
})
