import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { createPublicClient, createWalletClient, defineChain, encodeFunctionData, http, parseAbi } from "viem"
import { privateKeyToAccount } from "viem/accounts"

/** What the bare loop is told, as JSON in the file that its first argument names. */
export interface BareTransfers {
  readonly rpcUrl: string
  readonly chainId: number
  readonly privateKey: `0x${string}`
  readonly token: `0x${string}`
  readonly units: string
  /** Rounds of receivers. */
  readonly rounds: ReadonlyArray<ReadonlyArray<`0x${string}`>>
  /** How many are signed and handed in at a time. */
  readonly atOnce: number
}

/** What it prints of each round, as JSON. */
export interface Sent {
  readonly round: number
  /** When the first was about to be signed, in Unix milliseconds. */
  readonly startedAt: number
}

const abi = parseAbi(["function transfer(address to, uint256 value)"])

// What one writes who only wants to send: nonces counted here, gas and price fixed, nothing asked, nothing stored.
if (import.meta.main) {
  const { atOnce, chainId, privateKey, rounds, rpcUrl, token, units }: BareTransfers = JSON.parse(
    readFileSync(process.argv[2] ?? "", "utf8")
  )
  const transport = http(rpcUrl, { retryCount: 0 })
  const account = privateKeyToAccount(privateKey)
  const chain = defineChain({
    id: chainId,
    name: "local",
    nativeCurrency: { name: "Coin", symbol: "COIN", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } }
  })
  const wallet = createWalletClient({ account, chain, transport })
  const node = createPublicClient({ chain, transport })
  let nonce = 0
  const send = async (to: `0x${string}`): Promise<void> => {
    const serializedTransaction = await wallet.signTransaction({
      type: "eip1559",
      to: token,
      data: encodeFunctionData({ abi, functionName: "transfer", args: [to, BigInt(units)] }),
      nonce: nonce++,
      gas: 100_000n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n
    })
    await wallet.sendRawTransaction({ serializedTransaction })
  }
  const lane = async (left: IterableIterator<`0x${string}`>): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- a lane sends one at a time
    for (const to of left) await send(to)
  }
  const isIncluded = async (): Promise<void> => {
    const count = await node.getTransactionCount({ address: account.address, blockTag: "latest" })
    return count >= nonce ? undefined : setTimeout(50).then(isIncluded)
  }
  for (const [round, to] of rounds.entries()) {
    const sent: Sent = { round, startedAt: Date.now() }
    process.stdout.write(`${JSON.stringify(sent)}\n`)
    const left = to.values()
    // oxlint-disable-next-line no-await-in-loop -- a round follows the other
    await Promise.all(Array.from({ length: atOnce }, () => lane(left)))
    // oxlint-disable-next-line no-await-in-loop -- and begins when that is in a block
    await isIncluded()
  }
}
