import { defineFact } from "../engine/Records.ts"

/** Whether operators have switched everybody's chain payouts off on a network, or orders to the provider of a place. */
export const payoutsOff = defineFact<boolean>({ name: "payoutsOff", none: false })
