import { Schema } from "effect"
import { Network } from "../wire/Network.ts"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"

/** How a node of a network did in the last hour. */
export const OperatorNode = Schema.Struct({
  node: Schema.String.annotate({ description: "Its place among the nodes of the network, and who runs it." }),
  operator: Schema.NullOr(Schema.String).annotate({ description: "Who runs it; null if nobody is named." }),
  is_asked: Schema.Boolean.annotate({ description: "Whether it is the one that is asked first now." }),
  calls: Schema.Int.annotate({ description: "How many questions it was asked." }),
  failed: Schema.Int.annotate({
    description:
      "How many of them it did not answer, or answered with what cannot be true. That it does not know a block is an answer."
  }),
  problem: Schema.NullOr(Schema.String).annotate({ description: "Its newest failure; null if it had none." }),
  problem_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "OperatorNode" })

/** How a network is being read. Null figures are not known yet. */
export const OperatorNetwork = Schema.Struct({
  network: Network,
  enabled: Schema.Boolean.annotate({ description: "Whether this service has a node for it." }),
  environment: Schema.Literals(["LIVE", "SANDBOX"]).annotate({
    description: "`LIVE` for a main network, `SANDBOX` for a test network."
  }),
  explorer: Schema.NullOr(Schema.Struct({ transaction: Schema.String, address: Schema.String })).annotate({
    description:
      "Where you look up what is on it: URLs in which `{hash}` and `{address}` stand for what you look up; null if there is no such place."
  }),
  confirmations: Schema.NullOr(Schema.Int).annotate({
    description: "How many blocks, its own included, make a deposit final; null without a node."
  }),
  watcher_status: Schema.Literals(["OFF", "STARTING", "FOLLOWING", "CATCHING_UP", "STALLED"]),
  height: Schema.NullOr(Schema.Int).annotate({ description: "The newest block that the node reported." }),
  scanned_height: Schema.NullOr(Schema.Int).annotate({ description: "The newest block read by the watcher." }),
  lag_blocks: Schema.NullOr(Schema.Int),
  problem: Schema.NullOr(Schema.String).annotate({
    description: "A description of the current problem; null if there is none."
  }),
  notice: Schema.NullOr(Schema.String).annotate({
    description:
      "What you should know although the network is read without problems: quarantined, unconfirmed or unseen transactions; otherwise null."
  }),
  nodes: Schema.Array(OperatorNode).annotate({
    description: "How its nodes did in the last hour while the network was read; empty without a node."
  }),
  updated_at: Schema.NullOr(Timestamp),
  payouts_enabled: Schema.Boolean.annotate({
    description: "Whether chain payouts are on for this network. Tenants have their own switches."
  }),
  payouts_off_reason: Schema.NullOr(Schema.String),
  payouts_switched_by: Schema.NullOr(Schema.String).annotate({
    description: "The operator who switched it last; null if nobody did, or if the configuration has turned it off."
  }),
  payouts_switched_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "OperatorNetwork" })
/** How a network is being read. */
export type OperatorNetwork = typeof OperatorNetwork.Type

/** Why nobody's chain payouts are made on a network any more. */
export const StopPayouts = Schema.Struct({ reason: text(500) }).annotate({
  identifier: "StopPayouts",
  examples: [{ reason: "The node shows blocks that others do not have." }]
})

/** Every network. */
export const OperatorNetworkList = Schema.Struct({ networks: Schema.Array(OperatorNetwork) }).annotate({
  identifier: "OperatorNetworkList"
})
/** Every network. */
export type OperatorNetworkList = typeof OperatorNetworkList.Type
