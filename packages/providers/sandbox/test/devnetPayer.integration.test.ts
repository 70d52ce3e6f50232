import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { BitcoinDevnet } from "@bursar/simulator-bitcoin"
import { EvmDevnet } from "@bursar/simulator-evm"
import { StellarDevnet } from "@bursar/simulator-stellar"
import { TronDevnet } from "@bursar/simulator-tron"
import { devnetPayer, type Payer, type Payment } from "@bursar/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const paymentOf = (code: string, units: bigint, to: string, memo: string | null = null): Payment => {
  const asset = defaultCurrencies.byCode(code)?.asset
  if (asset == null) throw new Error(`${code} is on no network`)
  return { ...asset, units, to, memo }
}

/** Pays, sees it wait, mines, and sees it confirmed. */
const paid = Effect.fnUntraced(function* (payer: Payer, payment: Payment, mine: Effect.Effect<unknown, unknown>) {
  const { txHash } = yield* payer.pay(payment)
  yield* mine
  assert.isTrue(yield* payer.confirmed(payment.network, txHash), `${payment.network} ${payment.contract}`)
  return txHash
})

const refusal = (payer: Payer, payment: Payment) => Effect.map(Effect.flip(payer.pay(payment)), ({ sent }) => sent)

const account = "0x00000000000000000000000000000000000000AA"

/** An account on stellar that has agreed to hold nothing. */
const stranger = "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7"

describe("devnetPayer", () => {
  it.live("pays coin and tokens on an EVM network", () =>
    Effect.gen(function* () {
      const devnet = yield* EvmDevnet.make({ network: "bsc" })
      const payer = devnetPayer({ bsc: { controlUrl: devnet.controlUrl, nodeUrl: devnet.rpcUrl } })
      yield* paid(payer, paymentOf("BNB", 1_234_567_890_123_456_789n, account), Effect.void)
      yield* paid(payer, paymentOf("USDT_BSC", 5n, account), Effect.void)
      assert.strictEqual(yield* devnet.faucet.balance(account), 1_234_567_890_123_456_789n)
      assert.strictEqual(yield* devnet.faucet.tokenBalance(yield* devnet.faucet.token("USDT_BSC"), account), 5n)
      assert.strictEqual(yield* refusal(payer, paymentOf("BNB", 1n, "nobody")), "no")
      assert.isFalse(yield* payer.confirmed("bsc", `0x${"0".repeat(64)}`))
    })
  )

  it.live("pays bitcoin, which is confirmed with its block", () =>
    Effect.gen(function* () {
      const devnet = yield* BitcoinDevnet.make()
      const payer = devnetPayer({ bitcoin: { controlUrl: devnet.controlUrl, nodeUrl: devnet.rpcUrl } })
      const payment = paymentOf("BTC", 12_345_678n, devnet.funded.address)
      const { txHash } = yield* payer.pay(payment)
      assert.isFalse(yield* payer.confirmed("bitcoin", txHash))
      yield* devnet.faucet.mine(1)
      assert.isTrue(yield* payer.confirmed("bitcoin", txHash))
      assert.strictEqual(yield* refusal(payer, paymentOf("BTC", 1_000n, "nobody")), "no")
    })
  )

  it.live("pays coin and tokens on tron", () =>
    Effect.gen(function* () {
      const devnet = yield* TronDevnet.make({ mining: "manual" })
      const payer = devnetPayer({ tron: { controlUrl: devnet.controlUrl, nodeUrl: devnet.nodeUrl } })
      const to = devnet.fundedAddress
      const { txHash } = yield* payer.pay(paymentOf("TRX", 1_500_000n, to))
      assert.isFalse(yield* payer.confirmed("tron", txHash))
      yield* devnet.faucet.mine(1)
      assert.isTrue(yield* payer.confirmed("tron", txHash))
      yield* paid(payer, paymentOf("USDT_TRON", 7n, to), devnet.faucet.mine(1))
      assert.strictEqual(yield* refusal(payer, paymentOf("TRX", 1n, "nobody")), "no")
    })
  )

  it.live("pays on stellar with a memo, and says for certain that an account does not take an asset", () =>
    Effect.gen(function* () {
      const devnet = yield* StellarDevnet.make({ mining: "automine" })
      const payer = devnetPayer({ stellar: { controlUrl: devnet.controlUrl, nodeUrl: devnet.horizonUrl } })
      const to = devnet.fundedAddress
      for (const memo of ["77", "invoice 77"]) {
        const txHash = yield* paid(payer, paymentOf("XLM", 12_345_678n, to, memo), Effect.void)
        const transaction: unknown = yield* Effect.promise(async () =>
          (await fetch(`${devnet.horizonUrl}/transactions/${txHash}`)).json()
        )
        assert.include(transaction, { memo, memo_type: memo === "77" ? "id" : "text" })
      }
      yield* paid(payer, paymentOf("XLM", 30_000_000n, stranger), Effect.void)
      assert.strictEqual(yield* refusal(payer, paymentOf("USDC_XLM", 10_000_000n, stranger)), "no")
    })
  )

  it.live("a network that is not run here is not paid on, and one that does not answer leaves it open", () =>
    Effect.gen(function* () {
      const nowhere = "http://127.0.0.1:9"
      const payer = devnetPayer({ bitcoin: { controlUrl: nowhere, nodeUrl: nowhere } })
      assert.strictEqual(yield* refusal(payer, paymentOf("ETH", 1n, account)), "no")
      assert.strictEqual(yield* refusal(payer, paymentOf("BTC", 1n, "bcrt1q")), "unknown")
      assert.isFalse(yield* payer.confirmed("bitcoin", "00"))
      assert.isFalse(yield* payer.confirmed("tron", "00"))
    })
  )
})
