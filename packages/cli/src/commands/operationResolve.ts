import { feeBearers, resolutionBases, resolutionOutcomes } from "@bursar/api/operator/OperatorOperation"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { given } from "./operator.ts"
import { named, openOperation, told } from "./operationShow.ts"

/** Reads `12.5 USDC_BASE`. */
const moneyOf = (flag: string, text: string) => {
  const [amount, currency, ...rest] = text.trim().split(/\s+/u)
  return amount === undefined || currency === undefined || rest.length > 0
    ? Effect.fail(new CommandFailed({ message: `--${flag} is an amount and a currency, such as "12.5 USDC_BASE".` }))
    : Effect.succeed({ amount, currency })
}

const optionalMoney = (flag: string, text: Option.Option<string>) =>
  Option.match(text, {
    onNone: () => Effect.succeedNone,
    onSome: (value) => Effect.asSome(moneyOf(flag, value))
  })

/** `bursar operation resolve` */
export const resolve = Command.make(
  "resolve",
  {
    ...named,
    outcome: Argument.Literals("outcome", resolutionOutcomes).pipe(Argument.withDescription("The outcome")),
    basis: Flag.Literals("basis", resolutionBases).pipe(
      Flag.withDescription("CHAIN: a transaction that you gave as evidence and the chain has proven"),
      Flag.withDefault("PROVIDER" as const)
    ),
    reference: Flag.String("reference").pipe(Flag.withDescription("Where others can look it up: a ticket, a letter")),
    source: Flag.String("source").pipe(Flag.withDescription("Who says so")),
    statement: Flag.String("statement").pipe(Flag.withDescription("What was said")),
    providerReference: Flag.String("provider-reference").pipe(
      Flag.withDescription("The provider's own id of the order"),
      Flag.optional
    ),
    tx: Flag.String("tx").pipe(Flag.withDescription("The transaction that paid a withdrawal"), Flag.optional),
    received: Flag.String("received").pipe(
      Flag.withDescription('The amount that was received or came back, such as "0.04 ETH"'),
      Flag.optional
    ),
    networkFee: Flag.String("network-fee").pipe(
      Flag.withDescription('The network fee of a withdrawal, such as "1 USDC_BASE"'),
      Flag.optional
    ),
    networkFeeBorneBy: Flag.Literals("network-fee-borne-by", feeBearers).pipe(
      Flag.withDescription("Who paid the network fee"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const { basis, networkFeeBorneBy, outcome, reference, source, statement } = options
    const received = yield* optionalMoney("received", options.received)
    const fee = yield* optionalMoney("network-fee", options.networkFee)
    if (Option.isSome(fee) !== Option.isSome(networkFeeBorneBy))
      return yield* new CommandFailed({ message: "Use --network-fee and --network-fee-borne-by together." })
    const networkFee = Option.all([fee, networkFeeBorneBy]).pipe(
      Option.map(([amount, borneBy]) => ({ ...amount, borne_by: borneBy }))
    )
    const { client, path } = yield* openOperation(options)
    const payload = {
      outcome,
      basis,
      reference,
      source,
      statement,
      ...given("provider_reference", options.providerReference),
      ...given("tx_hash", options.tx),
      ...given("received", received),
      ...given("network_fee", networkFee)
    }
    return yield* told(options.json, yield* client.operations.resolve({ ...path, payload }))
  })
).pipe(
  Command.withDescription(
    "Propose the outcome of an operation whose provider does not answer; another operator must approve it"
  ),
  Command.withExamples([
    {
      command:
        'bursar operation resolve acme <id> FAILED --reference "Ticket 4711" --source "Support" --statement "Deleted." --as alice',
      description: "It did not happen"
    },
    {
      command:
        'bursar operation resolve acme <id> SETTLED --received "0.04 ETH" --provider-reference O-77 --reference "Ticket 4711" --source "Support" --statement "Filled." --as alice',
      description: "A swap that did happen"
    }
  ])
)
