import { bytecode } from "@bursar/simulator-evm/bytecode"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { canonicalTokens, contracts } from "@bursar/simulator-evm/tokens"

/** Forks that are named by block, and those that are named by time, all from the first block on. */
const blockForks = [
  "homestead",
  "eip150",
  "eip155",
  "eip158",
  "byzantium",
  "constantinople",
  "petersburg",
  "istanbul",
  "berlin",
  "london"
]

/** The genesis of a private chain with ethereum's id, tokens and an account that pays for everything. Its time is 0, as in practice. */
export const genesisOf = (rich: Hex): object => ({
  config: {
    chainId: 1,
    ...Object.fromEntries(blockForks.map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    blobSchedule: { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 } }
  },
  timestamp: "0x0",
  difficulty: "0x0",
  gasLimit: "0x1c9c380",
  alloc: {
    [rich]: { balance: "0xd3c21bcecceda1000000" },
    ...Object.fromEntries(
      canonicalTokens.ethereum.map(({ address, behaviour }) => [address, { balance: "0x0", code: bytecode[behaviour] }])
    ),
    [contracts.splitter]: { balance: "0x0", code: bytecode.Splitter }
  }
})
