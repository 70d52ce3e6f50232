import { Schema } from "effect"
import { Network } from "../wire/Network.ts"
import { Timestamp } from "../wire/Timestamp.ts"

/** How a network is being read. Null figures are not known yet. */
export const OperatorNetwork = Schema.Struct({
  network: Network,
  enabled: Schema.Boolean.annotate({ description: "Whether this service has a node for it." }),
  watcher_status: Schema.Literals(["OFF", "STARTING", "FOLLOWING", "CATCHING_UP", "STALLED"]),
  height: Schema.NullOr(Schema.Int).annotate({ description: "The newest block that the node told of." }),
  scanned_height: Schema.NullOr(Schema.Int).annotate({ description: "The newest block read by the watcher." }),
  lag_blocks: Schema.NullOr(Schema.Int),
  problem: Schema.NullOr(Schema.String).annotate({
    description: "What is wrong now, in words; null while all is well."
  }),
  updated_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "OperatorNetwork" })
/** How a network is being read. */
export type OperatorNetwork = typeof OperatorNetwork.Type

/** Every network. */
export const OperatorNetworkList = Schema.Struct({ networks: Schema.Array(OperatorNetwork) }).annotate({
  identifier: "OperatorNetworkList"
})
/** Every network. */
export type OperatorNetworkList = typeof OperatorNetworkList.Type
