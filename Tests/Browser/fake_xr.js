// A device of WebXR that a test moves: one floor, a camera that looks where it is put, touches, resets, and a refusal.
(() => {
  const inverse = (m) => {
    // Of a rigid transform.
    const r = [m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0];
    const at = (row) => -(m[row * 4] * m[12] + m[row * 4 + 1] * m[13] + m[row * 4 + 2] * m[14]);
    return [...r, at(0), at(1), at(2), 1];
  };
  const rigid = (matrix) => ({ matrix: new Float32Array(matrix), inverse: { matrix: new Float32Array(inverse(matrix)) } });
  const fake = window.fakeXR = {
    pose: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1.6, 0, 1], // in the space of the device
    refusal: null, session: null, anchors: [], frames: 0, time: 0,
    rate: null, // frames in a second of its time, however many there are; null for the time of the machine
    select() { fake.session.onselect(); },
    reset() { fake.space.onreset(); },
    end() { fake.session.onend(); fake.session = null; },
  };
  // Where the camera's axis meets the floor, y = 0.
  const hit = () => {
    const [dx, dy, dz, x, y, z] = [-fake.pose[8], -fake.pose[9], -fake.pose[10], ...fake.pose.slice(12, 15)];
    if (dy >= 0) return [];
    const t = -y / dy;
    const matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x + t * dx, 0, z + t * dz, 1];
    return [{
      getPose: () => ({ transform: rigid(matrix) }),
      createAnchor: async () => {
        const anchor = { anchorSpace: {}, matrix: [...matrix] };
        anchor.anchorSpace.anchor = anchor;
        fake.anchors.push(anchor);
        return anchor;
      },
    }];
  };
  const frame = {
    getViewerPose: () => ({
      transform: rigid(fake.pose),
      views: [{ transform: rigid(fake.pose), projectionMatrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.1, 0] }],
    }),
    getHitTestResults: hit,
    getPose: (space) => ({ transform: rigid(space.anchor.matrix) }),
  };
  const xr = {
    isSessionSupported: async (mode) => mode === "immersive-ar",
    requestSession: async (mode, features) => {
      if (fake.refusal) throw new DOMException(fake.refusal, "NotAllowedError");
      fake.features = features;
      fake.session = {
        requestReferenceSpace: async (kind) => (kind === "local-floor" ? (fake.space = {}) : {}),
        requestHitTestSource: async () => ({}), updateRenderState() {},
        requestAnimationFrame(call) {
          setTimeout(() => {
            if (!fake.session) return;
            fake.frames += 1;
            fake.time = fake.rate ? fake.time + 1000 / fake.rate : performance.now();
            call(fake.time, frame);
          }, 16);
        },
        end() { fake.end(); },
      };
      return fake.session;
    },
  };
  Object.defineProperty(navigator, "xr", { value: xr });
  window.XRWebGLLayer = class { framebuffer = null; getViewport() { return { x: 0, y: 0, width: 200, height: 200 }; } };
  WebGL2RenderingContext.prototype.makeXRCompatible = async () => {};
})();
