import type { KubeObject } from '@freshread/core'

/** Fields of core/v1 Event by their events.k8s.io/v1 names (`pkg/apis/core/v1` and `pkg/apis/events/v1: conversion.go`). */
const FIELDS: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
  reportingController: 'reportingComponent',
}
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(FIELDS).map(([a, b]) => [b, a]))

/** An events.k8s.io/v1 Event as core/v1, which is how it is stored. */
export function eventToStorage(object: KubeObject): KubeObject {
  return rename(object, FIELDS, 'v1')
}

/** A stored core/v1 Event as events.k8s.io/v1. */
export function eventFromStorage(object: KubeObject): KubeObject {
  const event = rename(object, NAMES, 'events.k8s.io/v1')
  // Always printed in core/v1, but not here.
  for (const name of ['reportingController', 'reportingInstance']) if (event[name] === '') delete event[name]
  return event
}

function rename(object: KubeObject, names: Readonly<Record<string, string>>, apiVersion: string): KubeObject {
  const out: KubeObject = { metadata: object.metadata }
  for (const [field, value] of Object.entries(object)) out[names[field] ?? field] = value
  out.apiVersion = apiVersion
  return out
}
