import type { SendOrder } from "@bursar/core/port/ChainSender"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { digestOf } from "../../src/internal/build/Draft.ts"
import { encodeSigned } from "../../src/internal/build/SignedTransaction.ts"
import type { TestKeys } from "./keys.ts"

/** A signed transaction of an account that gives a unit to itself, at the nonce of an order. */
export const foreignOf = (
  keys: TestKeys,
  chainId: number,
  { from, guard }: Pick<SendOrder, "from" | "guard">,
  feePerGas = 50_000_000_000n
): Hex => {
  if (guard._tag !== "Sequence") throw new Error("no nonce")
  const draft = {
    from,
    chainId,
    nonce: guard.sequence,
    to: from,
    value: 1n,
    data: "0x",
    gas: 21_000n,
    maxFeePerGas: feePerGas,
    maxPriorityFeePerGas: feePerGas
  } as const
  const { bytes, recovery } = keys.sign(from, digestOf(draft))
  const { raw } = encodeSigned(draft, { bytes, yParity: recovery === 1 ? 1 : 0 })
  return `0x${Buffer.from(raw).toString("hex")}`
}
