import { addressOfKey } from "@bursar/simulator-tron/account"
import { base58Of } from "@bursar/simulator-tron/address"
import { tokens } from "@bursar/simulator-tron/contracts"
import { keys } from "@bursar/simulator-tron/Store"
import * as TronDevnet from "@bursar/simulator-tron/TronDevnet"
import type { TronFault } from "@bursar/simulator-tron/TronFault"
import { SenderWorld, type SenderFault } from "@bursar/testkit/suites/sender/SenderWorld"
import { makeTronSender, type TronSenderOptions } from "@bursar/tron"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { keyOf, signWith } from "./keys.ts"
import { tronOver } from "./tronOver.ts"
import { inHex, pinned } from "./World.ts"

const [usdt] = tokens
if (usdt === undefined) throw new Error("the network has no token")

/** How many blocks below the newest the newest solidified one is. */
export const solidifiedLag = 3

/** USDT on the local network. */
export const token = usdt

/** A local network whose blocks are made only when told to, with what else than the suite a test of tron needs. */
export class SendingDevnet extends Context.Service<
  SendingDevnet,
  {
    readonly devnet: TronDevnet.TronDevnet
    /** Another sender over the same node. */
    readonly sender: (options: Partial<TronSenderOptions>) => ReturnType<typeof makeTronSender>
  }
>()("@bursar/tron/test/SendingDevnet") {
  static readonly layer = Layer.effect(
    SendingDevnet,
    Effect.map(TronDevnet.make({ mining: "manual", solidifiedLag }), (devnet) =>
      SendingDevnet.of({
        devnet,
        sender: (options) => makeTronSender({ nodeUrl: Redacted.make(devnet.nodeUrl), contracts: pinned, ...options })
      })
    )
  )
}

const times = 1_000_000

const faultOf: Readonly<Record<SenderFault, TronFault>> = {
  silent: { kind: "drop", times },
  garbage: { kind: "garbage", times, garbage: "wrong_types" },
  empty: { kind: "empty", times },
  lagging: { kind: "lag", times, lag_blocks: 3 },
  lost_reply: { kind: "lost_reply", times, method: "broadcasthex" },
  refuse: { kind: "refuse", times, method: "broadcasthex" },
  duplicate: { kind: "duplicate", times }
}

/** What an account of the world holds. */
export const funds = { sun: 1_000_000_000n, tokenUnits: 50_000_000n }

/** The local network in the terms of the suite of chain senders. */
export const senderWorld = Layer.effect(
  SenderWorld,
  Effect.map(SendingDevnet, ({ devnet }) => {
    const { faucet, faults, genesisBlockId } = devnet
    const { chain } = faucet
    const node = { nodeUrl: Redacted.make(devnet.nodeUrl), contracts: pinned, genesisBlockId }
    const { codec, sender } = tronOver(node)({})
    const accounts = new Map<string, string>()
    let serial = 0
    let externalWallets = 0
    const include = faucet.mine(1)
    const finalize = faucet.mine(solidifiedLag)
    const validUntil = Effect.map(Clock.currentTimeMillis, (now) => Math.max(now, chain.head().time) + 600_000)
    const accountWith = ({ sun, tokenUnits }: typeof funds) =>
      Effect.gen(function* () {
        const key = keyOf(++serial)
        const hex = addressOfKey(key)
        yield* faucet.sendNative(hex, sun)
        yield* faucet.transfer(token, hex, tokenUnits)
        yield* include
        yield* finalize
        const address = base58Of(hex)
        accounts.set(address, key)
        return address
      }).pipe(Effect.orDie)
    const large = 2n ** 53n + 1n
    return SenderWorld.of({
      sender,
      format: codec,
      contract: base58Of(token.address),
      account: accountWith(funds),
      large: { coin: large, token: large },
      richAccount: accountWith({ sun: large + funds.sun, tokenUnits: large }),
      finalAfter: solidifiedLag,
      receiver: Effect.sync(() => base58Of(`415b${(++externalWallets).toString(16).padStart(38, "0")}`)),
      unknownHash: "ee".repeat(32),
      balance: (address, contract) =>
        Effect.sync(() => {
          const hex = inHex(address)
          const key = contract === null ? keys.balance(hex) : keys.token(token.address, hex)
          return chain.read(key, chain.head().number) ?? 0n
        }),
      memoOf: () => Effect.die(new Error("transfers on tron have no memos here")),
      take: () => Effect.succeed({ _tag: "Expiry" }),
      validUntil,
      sign: (address, digest) => signWith(accounts.get(address), digest),
      include,
      finalize,
      reorg: Effect.orDie(faucet.reorg(1, false)),
      rival: () => Effect.die(new Error("nothing on tron excludes another transaction")),
      expire: ({ validUntil: until }) =>
        Effect.andThen(
          Effect.sync(() => chain.mine((until ?? 0) + 1)),
          finalize
        ),
      setPaused: (paused) => Effect.orDie(Effect.andThen(faucet.setPaused(token, paused), include)),
      breakNode: (fault) => faults.inject(faultOf[fault]),
      heal: faults.clear
    })
  })
)
