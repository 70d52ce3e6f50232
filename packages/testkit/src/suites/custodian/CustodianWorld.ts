import type { Network } from "@bursar/core/money/Network"
import type { Custodian, ConvertOrder, WithdrawOrder } from "@bursar/core/port/Custodian"
import { assert } from "@effect/vitest"
import { Clock, Context, Effect } from "effect"
import { newIdAt } from "../../fixtures/records.ts"

/** What an order moves. */
export type OrderKind = "withdrawal" | "conversion"

/** Both. */
export const orderKinds: ReadonlyArray<OrderKind> = ["withdrawal", "conversion"]

/**
 * What becomes of the next order: taken, answered and done (`settle`) or given up (`fail`); taken while the caller hears
 * nothing (`silent_then_…`); taken and answered with an error of the server or with nonsense; never received (`lost`); a conversion that is
 * taken, filled in part and then ended (`partial`).
 */
export type OrderOutcome =
  | "settle"
  | "fail"
  | "silent_then_settle"
  | "silent_then_fail"
  | "error_then_settle"
  | "garbage_then_settle"
  | "lost"
  | "partial"

/**
 * What a world can show: orders answered with `errors` and a custodian that answers everything so, orders that are `lost`, a
 * custodian that is silent (`silence`), withdrawals with `memos`, conversions that are filled in part (`partial`).
 */
export type CustodianFeature = "errors" | "lost" | "silence" | "memos" | "partial"

/** What the suite is told of a custodian. */
export interface CustodianTerms {
  /** Of which orders the custodian knows our references; the others it finds by what they look like. */
  readonly references: ReadonlyArray<OrderKind>
  /** For how long after its intent was recorded an order is sent: at most a quarter of `absentAfterMs`. */
  readonly sendWithinMs: number
  /** From when on an order that is not found was never taken, where our references are known. */
  readonly absentAfterMs: number
  /** What the world can show. */
  readonly has: ReadonlyArray<CustodianFeature>
}

/** A withdrawal in the books of a custodian. */
export interface ReceivedWithdrawal {
  /** What was ordered, in base units; without what is taken on top of it. */
  readonly units: bigint
  /** Ours, or the custodian's own name of a network that is none of ours. */
  readonly network: string
  readonly address: string
  readonly memo: string | null
}

/**
 * A custodian that a test can script, with the adapter under test. Its holdings are changed by nothing else meanwhile. What it
 * does not have may die, if the suite is told so. A failure of the world itself is a defect.
 */
export class CustodianWorld extends Context.Service<
  CustodianWorld,
  {
    readonly custodian: Custodian["Service"]
    /** The adapter as another process builds it, which remembers nothing. */
    readonly another: Effect.Effect<Custodian["Service"]>
    /** A withdrawal that can be made, again and again, with as many decimals as the currency and the custodian have. */
    readonly withdrawal: {
      readonly currency: string
      readonly units: bigint
      readonly network: Network
      readonly address: string
      readonly memo: string | null
    }
    /** Conversions that can be made, again and again, such as both directions of a market. */
    readonly conversions: ReadonlyArray<{ readonly currency: string; readonly units: bigint; readonly to: string }>
    /** A memo that a withdrawal can have. */
    readonly memo: string
    readonly next: (kind: OrderKind, outcome: OrderOutcome) => Effect.Effect<void>
    /** Lets everything that was taken come to its end. */
    readonly finish: Effect.Effect<void>
    /** How many orders were taken so far. */
    readonly taken: (kind: OrderKind) => Effect.Effect<number>
    /** The newest withdrawal as the custodian itself has it, in its own words put into ours. */
    readonly received: Effect.Effect<ReceivedWithdrawal>
    /** What is held of a currency in the custodian's own books, in our base units; what is less than one is left out. */
    readonly held: (currency: string) => Effect.Effect<bigint>
    /** Lets the custodian answer nothing until `heal`. */
    readonly silence: Effect.Effect<void>
    /** Lets the custodian answer everything with an error of its server until `heal`. */
    readonly errors: Effect.Effect<void>
    readonly heal: Effect.Effect<void>
  }
>()("@bursar/testkit/suites/custodian/CustodianWorld") {}

let withdrawalsMade = 0n

/** A withdrawal that was never made, sent just now. No two are of the same amount, by which some custodians tell them apart. */
export const newWithdrawal: Effect.Effect<WithdrawOrder, never, CustodianWorld> = Effect.gen(function* () {
  const { withdrawal } = yield* CustodianWorld
  const { address, currency, memo, network } = withdrawal
  const sentAt = yield* Clock.currentTimeMillis
  withdrawalsMade += 1n
  const units = withdrawal.units + withdrawalsMade
  return { reference: newIdAt(sentAt), sentAt, amount: { units, currency }, network, address, memo }
})

/** A conversion that was never made, sent just now: the first of the world's, or another one. */
export const newConversion = Effect.fnUntraced(function* (index = 0) {
  const { conversions } = yield* CustodianWorld
  const conversion = conversions[index]
  if (conversion === undefined) return yield* Effect.die(new Error(`the world has no conversion ${index}`))
  const { currency, to, units } = conversion
  const sentAt = yield* Clock.currentTimeMillis
  const order: ConvertOrder = { reference: newIdAt(sentAt), sentAt, amount: { units, currency }, to }
  return order
})

/** What is held of a currency, as the adapter tells it and the custodian's own books say. */
export const holding = Effect.fnUntraced(function* (currency: string) {
  const { custodian, held } = yield* CustodianWorld
  const told = (yield* Effect.orDie(custodian.balances)).get(currency) ?? 0n
  assert.strictEqual(told, yield* held(currency), `what is held of ${currency}`)
  return told
})

/** An answer for a message. */
export const shown = (answer: unknown): string =>
  JSON.stringify(answer, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))
