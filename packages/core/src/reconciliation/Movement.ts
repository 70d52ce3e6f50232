import { BigInt as Big } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** An amount that is not known exactly: it lies between the two, both included. */
export interface Range {
  readonly least: bigint
  readonly most: bigint
}

/** An amount that is known. */
export const exactly = (units: bigint): Range => ({ least: units, most: units })

/** An amount that has moved, or has not: nobody can tell yet. */
export const maybe = (units: bigint): Range => ({ least: Big.min(units, 0n), most: Big.max(units, 0n) })

/** The sum of two amounts. */
export const plus = (one: Range, other: Range): Range => ({
  least: one.least + other.least,
  most: one.most + other.most
})

/** What is left of an amount when another is taken away. */
export const minus = (one: Range, other: Range): Range => ({
  least: one.least - other.most,
  most: one.most - other.least
})

/** The amount of a range that is nearest to one. */
export const nearest = ({ least, most }: Range, to: bigint): bigint => Big.clamp(to, { minimum: least, maximum: most })

/** What a movement is known by. */
export interface Cause {
  readonly kind: "operation" | "deposit" | "wallet_transfer" | "transaction" | "statement_line"
  readonly id: string
  readonly tenantId: TenantId
  readonly at: Timestamp
}

/**
 * Something that the service knows of and that is not in the books and at the place alike: signed, sent, announced or seen on one side
 * alone. `inFlight` is what it makes the books say more than the place shows; below zero where the place shows more.
 */
export interface Movement {
  /** The name of the place. */
  readonly place: string
  readonly currency: string
  readonly inFlight: Range
  readonly cause: Cause
}

/** What a movement makes the books say more than the place shows. */
export const inFlightOf = ({ booked, shown }: { readonly booked: Range; readonly shown: Range }): Range =>
  minus(booked, shown)

/** Whether a movement makes a difference, or may. */
export const matters = ({ inFlight: { least, most } }: Movement): boolean => least !== 0n || most !== 0n

/** Sums movements up by place and currency, as `key` names them. */
export const sumOf = (
  movements: ReadonlyArray<Movement>,
  key: (movement: Movement) => string
): ReadonlyMap<string, Range> => {
  const sums = new Map<string, Range>()
  for (const movement of movements) {
    const name = key(movement)
    sums.set(name, plus(sums.get(name) ?? exactly(0n), movement.inFlight))
  }
  return sums
}
