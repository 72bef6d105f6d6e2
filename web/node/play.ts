// SPDX-License-Identifier: Apache-2.0
/// A minute of user input as a function of the frame: every kind of input, some at the same time.
import { Shape, Thing } from "../src/pond";
import { Session } from "../src/session";

export const PLAY_FRAMES = 600;

/// Drags last many frames, with motion in each.
function drag(session: Session, frame: number): void {
    const { width, length } = session, turn = (2 * Math.PI * frame) / 240;
    if (frame >= 30 && frame < 400)
        session.move(Thing.Heater, 0, width * (0.5 + 0.3 * Math.cos(turn)), length * (0.5 + 0.3 * Math.sin(turn)));
    if (frame >= 120 && frame < 300)
        session.move(Thing.Obstacle, 0, width * (0.2 + (0.6 * (frame - 120)) / 180), length * 0.45);
    if (frame >= 420 && frame < 430) session.move(Thing.Nozzle, 2, width * 0.1, length * (0.1 + 0.02 * (frame - 420)));
    if (frame >= 450 && frame % 6 === 0) session.tap(width * ((frame % 97) / 97), length * ((frame % 61) / 61), 0);
}

const deeds: { [frame: number]: (session: Session) => void } = {
    5: (s) => s.set("nozzles.rate", 9.5),
    20: (s) => s.set("heaters[0].on", 1),
    25: (s) => s.set("heaters[0].rate", 120),
    60: (s) => s.addNozzle({ x: 0.11, y: 0.22, rate: 30, radius: 0.006 }),
    90: (s) => s.set("obstacles[0].shape", Shape.Box),
    150: (s) => s.set("foam_tension", 0.6),
    180: (s) => s.set("viscosity", 1e-4),
    200: (s) => s.set("nozzles[1].radius", 0.009),
    240: (s) => s.removeNozzle(0),
    260: (s) => s.set("obstacles[0].angle", 35),
    310: (s) => s.set("obstacles[0].shape", Shape.Capsule),
    320: (s) => s.set("gravity", 5),
    380: (s) => s.set("obstacles[0].shape", Shape.None),
    410: (s) => s.set("heaters[0].on", 0),
    440: (s) => s.set("gravity", 9.81),
};

export function play(session: Session): void {
    while (session.frame < PLAY_FRAMES) {
        drag(session, session.frame);
        deeds[session.frame]?.(session);
        session.step();
    }
}
