import type { Caller } from "@bursar/api/middleware/Caller"
import { type Arrived, callerOf } from "./Arrived.ts"

/** Makes what follows from a caller alone, once for as long as the same is known of the key. */
export const perCaller = <A>(make: (arrived: Arrived) => A): ((arrived: Arrived) => A) => {
  const made = new WeakMap<Caller["Service"], A>()
  return (arrived) => {
    const caller = callerOf(arrived)
    const known = made.get(caller)
    if (known !== undefined) return known
    const one = make(arrived)
    made.set(caller, one)
    return one
  }
}
