/** A graph in which components are inside another, and join several loops. */

import type { Graph } from '../src/file/graph'

/** A controller with parts inside it between a loop in front and two behind. */
export const NESTED: Graph = {
  components: [
    { name: 'front', kind: 'l', members: 1, ports: [], inside: null, drawn: 'ring' },
    { name: 'main', kind: 'l', members: 1, ports: [], inside: null, drawn: 'ring' },
    { name: 'second', kind: 'l', members: 1, ports: [], inside: null, drawn: 'ring' },
    {
      name: 'host',
      kind: 'h',
      members: 1,
      ports: [{ name: 'host', flows: 'frames', side: 'initiator', on: 'front' }],
      inside: null,
    },
    {
      name: 'controller',
      kind: 'c',
      members: 1,
      ports: [{ name: 'controller.front', flows: 'frames', side: 'target', on: 'front' }],
      inside: null,
    },
    { name: 'cache', kind: 'x', members: 1, ports: [], inside: null, within: 'controller' },
    {
      name: 'back-end',
      kind: 'b',
      members: 1,
      within: 'controller',
      inside: null,
      ports: [
        { name: 'back-end.backs.main', flows: 'frames', side: 'initiator', on: 'main' },
        { name: 'back-end.backs.second', flows: 'frames', side: 'initiator', on: 'second' },
      ],
    },
    {
      name: 'disks',
      kind: 'd',
      members: 5,
      inside: null,
      ports: [
        { name: 'disks.adapters.a', flows: 'frames', side: 'target', on: 'main' },
        { name: 'disks.adapters.b', flows: 'frames', side: 'target', on: 'second' },
      ],
    },
    { name: 'load', kind: 's', members: 1, ports: [], inside: null },
  ],
  links: [
    { from: 'host', to: 'front', flows: 'frames' },
    { from: 'controller.front', to: 'front', flows: 'frames' },
    { from: 'back-end.backs.main', to: 'main', flows: 'frames' },
    { from: 'disks.adapters.a', to: 'main', flows: 'frames' },
    { from: 'back-end.backs.second', to: 'second', flows: 'frames' },
    { from: 'disks.adapters.b', to: 'second', flows: 'frames' },
    { from: 'controller', to: 'cache', flows: 'requests' },
    { from: 'cache', to: 'back-end', flows: 'requests' },
    { from: 'load', to: 'host', flows: 'requests' },
  ],
}
