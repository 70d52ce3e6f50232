import type { WriteSet } from "@bursar/core/engine/WriteSet"
import { recordsIn } from "@bursar/core/engine/Records"
import type { Account } from "@bursar/core/ledger/Account"
import { concernsTenant, kindOfCorrections } from "@bursar/core/operation/concernsTenant"
import { Operation } from "@bursar/core/operation/Operation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { arrayParameter, bool, int8, numeric, parameter, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import type { Statement } from "../internal/Table.ts"
import { addingText, category, dayMs, hourMs, totalsOf } from "./totals.ts"

/** What one operation counts as: those that are alike in it are one row of each span. */
type Counted = Pick<
  Operation,
  "actsFor" | "amount" | "createdAt" | "customerFee" | "kind" | "network" | "provider" | "status"
>

interface Total {
  readonly of: Counted
  readonly span: "day" | "ever" | "hour"
  readonly startsAt: number
  readonly registered: boolean
  operations: number
  units: bigint
  feeUnits: bigint
}

const alike = (one: Counted, other: Counted): boolean =>
  one.status === other.status &&
  one.provider === other.provider &&
  one.network === other.network &&
  one.actsFor === other.actsFor &&
  one.kind === other.kind &&
  one.createdAt === other.createdAt &&
  one.amount.currency === other.amount.currency &&
  one.amount.units === other.amount.units &&
  one.customerFee.units === other.customerFee.units

/** Sums of what operations are that were put, less what they were before. */
class Totals {
  private readonly byPlace = new Map<string, Total>()

  add(of: Counted, registered: boolean, sign: -1 | 1): void {
    const { actsFor, amount, createdAt, kind, network, provider, status } = of
    const alikeBy = `${kind}|${amount.currency}|${status}|${actsFor}|${network}|${provider}|${registered}`
    const day = Math.floor(createdAt / dayMs) * dayMs
    const hour = Math.floor(createdAt / hourMs) * hourMs
    for (const [span, startsAt] of [["ever", 0] as const, ["day", day] as const, ["hour", hour] as const]) {
      const where = `${alikeBy}|${span}|${startsAt}`
      const total = this.byPlace.get(where) ?? {
        of,
        span,
        startsAt,
        registered,
        operations: 0,
        units: 0n,
        feeUnits: 0n
      }
      total.operations += sign
      total.units += BigInt(sign) * amount.units
      total.feeUnits += BigInt(sign) * of.customerFee.units
      this.byPlace.set(where, total)
    }
  }

  get changed(): ReadonlyArray<Total> {
    return [...this.byPlace.values()].filter(
      ({ feeUnits, operations, units }) => operations !== 0 || units !== 0n || feeUnits !== 0n
    )
  }
}

const putText = `insert into operation_total (tenant_id, span, starts_at, ${category}, operations, units, fee_units)
  select $1::uuid, unnest($2::text[]), unnest($3::timestamptz[]), unnest($4::text[]), unnest($5::text[]), unnest($6::text[]),
    unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::bool[]), unnest($11::int8[]), unnest($12::numeric[]),
    unnest($13::numeric[]) ${addingText}`

const putting = (tenantId: TenantId, totals: ReadonlyArray<Total>): Statement => {
  const texts = (of: (one: Total) => string) => arrayParameter(text, totals.map(of))
  return {
    sql: putText,
    parameters: [
      parameter(uuid, tenantId),
      texts(({ span }) => span),
      arrayParameter(
        timestamptz,
        totals.map(({ startsAt }) => startsAt)
      ),
      texts(({ of }) => of.kind),
      texts(({ of }) => of.amount.currency),
      texts(({ of }) => of.status),
      texts(({ of }) => of.actsFor),
      texts(({ of }) => of.network ?? ""),
      texts(({ of }) => of.provider ?? ""),
      arrayParameter(
        bool,
        totals.map(({ registered }) => registered)
      ),
      arrayParameter(
        int8,
        totals.map(({ operations }) => BigInt(operations))
      ),
      arrayParameter(
        numeric,
        totals.map(({ units }) => units.toString())
      ),
      arrayParameter(
        numeric,
        totals.map(({ feeUnits }) => feeUnits.toString())
      )
    ]
  }
}

const ofSome = "t.tenant_id = $1 and t.operation_id = any($2::uuid[])"

/** What the totals are to be changed by, before the operations of a batch are written and after its legs are. */
export interface TotalsChange {
  readonly before: ReadonlyArray<Statement>
  readonly after: ReadonlyArray<Statement>
}

/**
 * How the totals follow what a batch writes. What is known of an operation before and after is summed up here; what is not, such as one that was
 * put unread and may be there, or a correction that changes, the database takes away as it stands and adds anew.
 */
export const totalsChange = (
  { legs, records, tenantId }: Pick<WriteSet, "legs" | "records" | "tenantId">,
  known: ReadonlyMap<string, unknown> | undefined,
  trusting: boolean
): TotalsChange => {
  const totals = new Totals()
  const untold: Array<string> = []
  for (const operation of recordsIn(records, Operation)) {
    const before = known?.get(operation.id) as Operation | undefined // by this name operations alone are loaded
    if (before !== undefined && alike(before, operation)) continue
    const correction = operation.kind === kindOfCorrections
    if (before === undefined ? !trusting : correction) {
      untold.push(operation.id)
      continue
    }
    if (before !== undefined) totals.add(before, true, -1)
    totals.add(operation, !correction || concernsTenant(operation, accountsOf(legs, operation.id)), 1)
  }
  const { changed } = totals
  const counting = (sign: -1 | 1): ReadonlyArray<Statement> =>
    untold.length === 0
      ? []
      : [{ sql: totalsOf(ofSome, sign), parameters: [parameter(uuid, tenantId), arrayParameter(uuid, untold)] }]
  return {
    before: counting(-1),
    after: [...(changed.length === 0 ? [] : [putting(tenantId, changed)]), ...counting(1)]
  }
}

const accountsOf = (legs: WriteSet["legs"], operationId: string): ReadonlyArray<Account> =>
  legs.flatMap((leg) => (leg.operationId === operationId ? [leg.account] : []))
