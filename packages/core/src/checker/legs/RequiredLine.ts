import type { Account } from "../../ledger/Account.ts"
import type { LegPurpose } from "../../ledger/Leg.ts"
import type { Amount } from "../../money/Amount.ts"

/** What the legs of one operation come to on one account, for one purpose. */
export interface RequiredLine {
  readonly account: Account
  readonly currency: string
  readonly what: LegPurpose
  /** Debits less credits. */
  readonly units: bigint
}

/** What the legs of an operation must come to, by its kind and state: these lines and no others. */
export interface RequiredLegs {
  readonly lines: ReadonlyArray<RequiredLine>
  /**
   * Accounts on which its record does not say what was booked, because it was written before records kept that: what stands there is
   * taken as it is. Debits equal credits all the same, so only lines among these accounts can differ. Absent where there are none.
   */
  readonly untold?: ReadonlyArray<Account>
}

/** One account debited and another credited. Below zero it goes the other way. */
export const entry = (
  debited: Account,
  credited: Account,
  { currency, units }: Amount,
  what: LegPurpose
): ReadonlyArray<RequiredLine> => [
  { account: debited, currency, what, units },
  { account: credited, currency, what, units: -units }
]

/** The same the other way round, for another purpose. */
export const mirrored = (lines: ReadonlyArray<RequiredLine>, what: LegPurpose): ReadonlyArray<RequiredLine> =>
  lines.map((line) => ({ ...line, what, units: -line.units }))

/** An amount that stands as a text of base units in the details of an operation; undefined where it does not. Throws where it is none. */
export const unitsIn = (value: string | undefined): bigint | undefined => {
  if (value !== undefined && !/^\d+$/u.test(value)) throw new Error(`${value} is no amount in base units`)
  return value === undefined ? undefined : BigInt(value)
}
