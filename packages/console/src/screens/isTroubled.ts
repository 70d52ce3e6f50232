import type { OperatorNetwork } from "@bursar/api/operator/OperatorNetwork"

type Reading = Pick<OperatorNetwork, "payouts_enabled" | "problem" | "watcher_status">

/** Whether a network needs a person: it has a problem, pays nothing out, or nobody reads it any more, as when the worker is dead. */
export const isTroubled = ({ payouts_enabled: on, problem, watcher_status: status }: Reading): boolean =>
  status === "STALLED" || (status !== "OFF" && (problem !== null || !on))
