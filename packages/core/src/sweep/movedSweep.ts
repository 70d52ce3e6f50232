import { moveOf } from "../engine/Machine.ts"
import type { Sweep } from "./Sweep.ts"
import { sweepMachine, type SweepTrigger } from "./SweepMachine.ts"

/** A sweep after a trigger; unchanged where the table has no such move from where it stands. */
export const movedSweep = (sweep: Sweep, trigger: SweepTrigger, patch: Partial<Sweep> = {}): Sweep => {
  const move = moveOf(sweepMachine, sweep.state, trigger)
  return move === undefined ? sweep : { ...sweep, ...patch, state: move.to }
}
