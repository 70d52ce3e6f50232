import type { DecideHeldArrival, HeldArrivalEntry } from "@bursar/api/operator/OperatorHeldArrival"

/** What a held arrival pays. */
export type HeldPays = NonNullable<typeof DecideHeldArrival.Type.pays>

/** What a held arrival pays, as operators see it and say it again: `12500000 USDT_ETH to 0x…`. */
export const heldPaysText = ({
  address,
  amount_units: units,
  currency
}: Pick<HeldArrivalEntry, "address" | "amount_units" | "currency">): string => `${units} ${currency} to ${address}`

/** What `heldPaysText` has written; undefined where it has not. */
export const readHeldPays = (text: string): HeldPays | undefined => {
  const [, units, currency, address] = /^\s*([0-9]+)\s+(\S+)\s+to\s+(\S+)\s*$/u.exec(text) ?? []
  return units === undefined || currency === undefined || address === undefined
    ? undefined
    : { address, currency, amount_units: units }
}
