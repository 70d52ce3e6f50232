import { defineFact } from "../engine/Records.ts"

/** Whether operators have switched everybody's chain payouts off on a network. */
export const payoutsOff = defineFact<boolean>({ name: "payoutsOff", none: false })
