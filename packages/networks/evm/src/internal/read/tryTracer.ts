import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import type { NodeRefusal } from "../rpc/NodeAnswer.ts"
import { moveTracer, readMoves } from "./moveTracer.ts"
import { traceBytesMax } from "./traceBounds.ts"

const payer = "0xb0a5a12000000000000000000000000000000001"
const paid = "0xb0a5a12000000000000000000000000000000002"
const heir = "0xb0a5a12000000000000000000000000000000003"

const bare = (address: string): string => address.slice(2)

/** Pays 3 and reverts: 32 bytes that are run as the constructor of a contract. */
const undone = `3d3d3d3d600373${bare(paid)}5af13d3dfd`
/** Leaves what it has to the heir: 22 bytes. */
const destroyed = `73${bare(heir)}ff`

/**
 * The code of a creation that pays 1, asks for more than there is, makes a contract with 4 that reverts, and one with 5 that destroys
 * itself.
 */
const code = [
  `0x6000600060006000600173${bare(paid)}5af150`,
  `60006000600060006f${"ff".repeat(16)}73${bare(paid)}5af150`,
  `7f${undone}600052602060006004f050`,
  `75${destroyed}6000526016600a6005f050`,
  "00"
].join("")

/**
 * Whether the node runs the tracer of moves as it is meant: tried on a call of which all is known, that changes nothing. Clients
 * differ in what they tell tracers: reth and anvil do not tell that a call was reverted. What they tell wrong would be credited.
 */
export const tryTracer = (rpc: Rpc): Effect.Effect<boolean, ChainError | NodeRefusal> =>
  rpc
    .call(
      "try the tracer",
      "debug_traceCall",
      [
        { from: payer, data: code, value: "0xa", gas: "0x1e8480" },
        "latest",
        { tracer: moveTracer, stateOverrides: { [payer]: { balance: "0xde0b6b3a7640000" } } }
      ],
      { timeoutMs: rpc.timeoutMs, bytesMax: traceBytesMax }
    )
    .pipe(
      Effect.map((answer) => {
        const traced = readMoves(answer)
        if (traced === undefined || traced.failed || traced.value !== 10n) return false
        const [first, second, third, ...others] = traced.moves
        return (
          others.length === 0 &&
          first?.from === traced.to &&
          first.to === paid &&
          first.units === 1n &&
          second?.from === traced.to &&
          second.units === 5n &&
          third?.from === second.to &&
          third.to === heir &&
          third.units === 5n
        )
      })
    )
