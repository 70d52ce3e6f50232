import { readFileSync } from "node:fs"
import { createWalletClient, defineChain, encodeFunctionData, http, parseAbi } from "viem"
import { privateKeyToAccount } from "viem/accounts"

/** What the bare loop is told, as JSON in the file that its first argument names. */
export interface BareTransfers {
  readonly rpcUrl: string
  readonly chainId: number
  readonly privateKey: `0x${string}`
  readonly token: `0x${string}`
  readonly units: string
  readonly to: ReadonlyArray<`0x${string}`>
  /** How many are signed and handed in at a time. */
  readonly atOnce: number
}

/** What it prints, as JSON. */
export interface Sent {
  /** When the first was about to be signed, in Unix milliseconds. */
  readonly startedAt: number
  readonly tookMs: number
}

const abi = parseAbi(["function transfer(address to, uint256 value)"])

// What one writes who only wants to send: nonces counted here, gas and price fixed, nothing asked, nothing stored.
if (import.meta.main) {
  const { atOnce, chainId, privateKey, rpcUrl, to, token, units }: BareTransfers = JSON.parse(
    readFileSync(process.argv[2] ?? "", "utf8")
  )
  const wallet = createWalletClient({
    account: privateKeyToAccount(privateKey),
    chain: defineChain({
      id: chainId,
      name: "local",
      nativeCurrency: { name: "Coin", symbol: "COIN", decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } }
    }),
    transport: http(rpcUrl, { retryCount: 0 })
  })
  const send = async (nonce: number): Promise<void> => {
    const serializedTransaction = await wallet.signTransaction({
      type: "eip1559",
      to: token,
      data: encodeFunctionData({ abi, functionName: "transfer", args: [to[nonce] ?? "0x", BigInt(units)] }),
      nonce,
      gas: 100_000n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n
    })
    await wallet.sendRawTransaction({ serializedTransaction })
  }
  const startedAt = Date.now()
  let next = 0
  const lane = async (): Promise<void> => {
    if (next >= to.length) return undefined
    const nonce = next
    next += 1
    await send(nonce)
    return lane()
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  const sent: Sent = { startedAt, tookMs: Date.now() - startedAt }
  process.stdout.write(`${JSON.stringify(sent)}\n`)
}
