import type { View } from "../engine/View.ts"

/** How much of a currency stands in suspense, in base units; below zero where more was taken than had come. The command reads its balance. */
export const inSuspense = (view: Pick<View, "balance">, currency: string): bigint =>
  // what stands there was credited to the account, which is below zero then
  -view.balance("suspense", currency).units
