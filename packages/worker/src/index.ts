/**
 * The processes of Bursar: watching networks and delivering webhooks, over the ports of `@bursar/core`. Every module is
 * also importable by its own path, such as `@bursar/worker/egress/Egress`.
 */
export * as Worker from "./Worker.ts"
export { deliverWebhooks } from "./deliver/deliverWebhooks.ts"
export { signWebhook } from "./deliver/signWebhook.ts"
export { Egress } from "./egress/Egress.ts"
export { checkUrl, reachOf } from "./egress/Reach.ts"
export { watchNetwork } from "./watch/watchNetwork.ts"
export { defaultSendLimits, type SendLimits } from "./transactions/SendLimits.ts"
export * as Sender from "./sender/Sender.ts"
