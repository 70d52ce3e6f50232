import * as SignerClient from "@bursar/signer/rpc/SignerClient"
import * as AuditKeeper from "@bursar/worker/audit/AuditKeeper"
import * as Reconciler from "@bursar/worker/reconcile/Reconciler"
import * as Sender from "@bursar/worker/sender/Sender"
import type { SenderOptions } from "@bursar/worker/sender/Sender"
import { layer as layerWorker } from "@bursar/worker/Worker"
import * as SignedOrders from "@bursar/vault/SignedOrders"
import * as SignedRegistrations from "@bursar/vault/SignedRegistrations"
import { Effect, Layer } from "effect"
import type { WorkSettings } from "../config/Settings.ts"
import { layerNetworks } from "./adapters.ts"
import { openS3Anchor } from "./anchorS3.ts"
import { layerGrantsOf } from "./grants.ts"

/** How fast it sends and sweeps; the defaults where nothing is said. */
export type SendingPace = Pick<SenderOptions, "limits" | "sweeps">

/** All that works beside the server, for as long as the layer lives: watching, sending, providers, webhooks. */
export const layerWorkOver = (settings: WorkSettings, pace: SendingPace = {}) =>
  Layer.merge(
    layerWorker({
      currencies: settings.currencies,
      serviceName: settings.serviceName,
      sandboxMayReachLocal: settings.webhooksToPrivateAddresses === "sandbox",
      ...(settings.secondNode && { secondNode: settings.secondNode })
    }),
    // builds, signs, sends and follows what is to be paid on the networks that have a node
    Sender.layer({ currencies: settings.currencies, payoutsOff: settings.payoutsOff, ...pace })
  )

/** Keeps the audit log; with the object store of the settings, if there is one. */
const layerAudit = ({ anchorS3 = null, audit }: WorkSettings) =>
  anchorS3 === null
    ? AuditKeeper.layer(audit)
    : Layer.unwrap(Effect.map(openS3Anchor(anchorS3), (anchor) => AuditKeeper.layer({ ...audit, anchors: [anchor] })))

/** The same with the networks of the settings, over a signer of the caller's. */
export const layerWorkBeside = (settings: WorkSettings, pace: SendingPace = {}) =>
  Layer.merge(layerWorkOver(settings, pace), layerAudit(settings)).pipe(
    Layer.provide(layerGrantsOf(settings)),
    Layer.provide(SignedOrders.layer(settings)),
    Layer.provide(SignedRegistrations.layer(settings)),
    Layer.provide(layerNetworks(settings.networks, settings.currencies))
  )

/** The same over the signer of the settings, which is a process of its own. */
export const layerWork = (settings: WorkSettings, pace: SendingPace = {}) =>
  layerWorkBeside(settings, pace).pipe(
    Layer.provide(SignerClient.layerGrantWitness(settings.signer)),
    Layer.provide(SignerClient.layerAuditSealer(settings.signer)),
    Layer.provide(SignerClient.layerTransactionSigner(settings.signer))
  )

/** Compares the books with the networks and the providers of the settings, for as long as the layer lives. */
export const layerReconciler = (settings: WorkSettings) =>
  Reconciler.layer({ currencies: settings.currencies, limits: settings.reconciliation }).pipe(
    Layer.provide(layerNetworks(settings.networks, settings.currencies))
  )
