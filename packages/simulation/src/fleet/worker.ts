import { GrantWitness } from "@bursar/core/port/GrantWitness"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import * as MasterKeySecretBox from "@bursar/vault/MasterKeySecretBox"
import * as SealedSigner from "@bursar/vault/SealedSigner"
import * as SignedOrders from "@bursar/vault/SignedOrders"
import { Egress, EgressError, type EgressRequest, type EgressResponse } from "@bursar/worker/egress/Egress"
import { defaultSendLimits } from "@bursar/worker/transactions/SendLimits"
import { defaultSweepLimits } from "@bursar/worker/sweep/SweepLimits"
import { defaultDeliverLimits } from "@bursar/worker/deliver/DeliverOptions"
import { defaultQueueLimits } from "@bursar/worker/queue/workQueue"
import * as Sender from "@bursar/worker/sender/Sender"
import * as Worker from "@bursar/worker/Worker"
import { Effect, Layer } from "effect"
import type { World } from "../world/World.ts"
import { type Gate, passing } from "../process/Host.ts"
import { layerPorts } from "./ports.ts"
import { authority, masterKeys } from "./settings.ts"

/** The keys in a process of their own where grants decide, else in the worker. */
const keys = ({ currencies, desk, plant, trust }: World) =>
  trust !== null
    ? Layer.succeed(TransactionSigner, desk.service)
    : Layer.effect(
        TransactionSigner,
        Effect.map(TransactionSigner, (real) => plant.signer?.(real) ?? real)
      ).pipe(Layer.provide(SealedSigner.layer(masterKeys, { currencies, publicAuthorities: [authority] })))

const silence = new VaultError({ doing: "reach the signer", reason: "it does not answer" })

/** The signer as a worker reaches it: now and then it does not answer. */
const signer = (gate: Gate, world: World) =>
  Layer.effect(
    TransactionSigner,
    Effect.map(TransactionSigner, (used) =>
      TransactionSigner.of({
        signed: (of) => passing(gate, "signed", used.signed(of)),
        sign: (transaction) => {
          const silent = () => world.faults.strikes("signer.silent")
          const asked = Effect.suspend(() => (silent() ? Effect.fail(silence) : used.sign(transaction)))
          return passing(gate, "sign", asked)
        }
      })
    )
  ).pipe(Layer.provide(keys(world)))

/** Since when the signer knows a grant, as a worker asks for it where destinations cool. */
const witness = (gate: Gate, { config, desk, faults }: World): Layer.Layer<never> =>
  config.cooling === null
    ? Layer.empty
    : Layer.succeed(
        GrantWitness,
        GrantWitness.of({
          receivesFrom: (destination) => {
            const asked = Effect.suspend(() =>
              faults.strikes("signer.silent") ? Effect.fail(silence) : desk.witness.receivesFrom(destination)
            )
            return passing(gate, "receivesFrom", asked)
          }
        })
      )

/** Whom a webhook is for, and what it tells. */
const addressed = ({ headers, url }: EgressRequest) => ({
  partner: Number(/partner-(\d+)/u.exec(url)?.[1]),
  eventId: Number(headers["X-Service-Event-Id"])
})

const receive = ({ faults, kernel, note, records }: World, request: EgressRequest) =>
  Effect.suspend((): Effect.Effect<EgressResponse, EgressError> => {
    const { eventId, partner } = addressed(request)
    const fails = faults.strikes("webhook.fails")
    const received = records.received[partner]
    received?.push({ eventId, body: request.body ?? "", at: kernel.now(), accepted: !fails })
    note(`webhook ${eventId} to partner ${partner}${fails ? " fails" : ""}`)
    if (faults.strikes("webhook.unheard"))
      return Effect.fail(new EgressError({ reason: "timeout", detail: "no answer within 15 s" }))
    return Effect.succeed({ status: fails ? 500 : 204, headers: new Map(), body: new Uint8Array(), truncated: false })
  })

const egress = (gate: Gate, world: World) =>
  Layer.succeed(
    Egress,
    Egress.of({
      send: (request) =>
        Effect.suspend(() => {
          const { eventId, partner } = addressed(request)
          if (gate.host.alive()) world.records.begun[partner]?.push(eventId)
          return passing(gate, "webhook", receive(world, request))
        })
    })
  )

const quick = { ...defaultSendLimits, idleMs: 1_000, retryFirstMs: 1_000, retryLongestMs: 8_000, checkLongestMs: 8_000 }

const quickSweeps = {
  ...defaultSweepLimits,
  costTimes: 1,
  idleMs: 2_000,
  reconsiderMs: 20_000,
  retryFirstMs: 4_000,
  retryLongestMs: 20_000,
  followMs: 5_000,
  goneMaxMs: 60_000,
  network: { sweepCostShareMaxPercent: null, sweepKeeps: 0n }
}

/** Every arrival needs both nodes. */
const always = { above: () => 0n, together: () => 0n, windowMs: 86_400_000, alone: "credit" } as const

/** Starts a process that watches, sends, sweeps, drives the custodian and delivers webhooks. */
export const startWorker = (gate: Gate, world: World): void => {
  const { host, kernel } = gate
  const { currencies } = world
  const ageMax = world.config.trust?.requestAgeMaxMs
  const ports = Layer.mergeAll(
    signer(gate, world),
    witness(gate, world),
    egress(gate, world),
    MasterKeySecretBox.layer(masterKeys),
    SignedOrders.layer({
      currencies,
      publicAuthorities: [authority],
      ...(ageMax != null && { requestAgeMaxMs: ageMax })
    })
  ).pipe(Layer.provideMerge(layerPorts(gate, world)))
  const working = Effect.all(
    [
      Worker.run({
        currencies,
        serviceName: "service",
        sandboxMayReachLocal: true,
        ...(world.config.secondNode !== null && { secondNode: always }),
        queueLimits: { ...defaultQueueLimits, idleMs: 1_000 },
        deliverLimits: { ...defaultDeliverLimits, pollIntervalMs: 2_000 }
      }),
      Sender.run({ currencies, limits: quick, sweeps: quickSweeps })
    ],
    { concurrency: "unbounded", discard: true }
  )
  const fiber = Effect.runFork(Effect.scoped(Effect.provide(working, ports)), { scheduler: kernel.scheduler })
  host.onDeath(() => fiber.interruptUnsafe())
}
