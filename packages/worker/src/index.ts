/**
 * The processes of Bursar: watching networks and delivering webhooks, over the ports of `@bursar/core`. Every module is
 * also importable by its own path, such as `@bursar/worker/outbound/Outbound`.
 */
export * as Worker from "./Worker.ts"
export { deliverWebhooks } from "./deliver/deliverWebhooks.ts"
export { signWebhook } from "./deliver/signWebhook.ts"
export { Outbound } from "./outbound/Outbound.ts"
export { checkUrl, reachOf } from "./outbound/Reach.ts"
export { watchNetwork } from "./watch/watchNetwork.ts"
export { defaultSendLimits, type SendLimits } from "./send/SendLimits.ts"
export * as Failpoint from "./send/Failpoint.ts"
export * as Sender from "./send/Sender.ts"
