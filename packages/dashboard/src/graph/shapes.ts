/**
 * Draws nodes as the legend shows them: each kind of entity has its own shape. A shape is the distance of a point from its outline, with
 * the centre at 0 and a circle of radius 1 as the measure (signed distance, negative inside).
 */
import { NodeProgram, type NodeProgramType } from 'sigma/rendering'
import type { NodeDisplayData, RenderParams } from 'sigma/types'
import { floatColor } from 'sigma/utils'

const distances = {
  circle: 'return length(p) - 1.0;',
  square: 'return max(abs(p.x), abs(p.y)) - 0.87;',
  triangle: 'return max(abs(p.x) * 0.866 + p.y * 0.5, -p.y) - 0.6;',
  diamond: 'return (abs(p.x) + abs(p.y) - 1.2) * 0.707;',
  // Five equal sectors, each with one edge from a tip to the notch beside it.
  star: `
    float sector = abs(mod(atan(p.x, p.y) + 0.6283, 1.2566) - 0.6283);
    vec2 q = length(p) * vec2(cos(sector), sin(sector)) - vec2(1.25, 0.0);
    vec2 notch = 0.58 * vec2(0.809, 0.588);
    return dot(q, normalize(vec2(notch.y, 1.25 - notch.x)));`,
  cross: `
    vec2 q = abs(p);
    return min(max(q.x - 1.05, q.y - 0.4), max(q.x - 0.4, q.y - 1.05));`,
} as const

export type Shape = keyof typeof distances

/** How far shapes may reach beyond the circle. */
const reach = 1.35

const vertexShader = `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec2 a_position;
attribute float a_size;
attribute vec2 a_corner;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform float u_correctionRatio;
varying vec4 v_color;
varying vec2 v_point;
varying float v_soft;

void main() {
  float radius = 2.0 * a_size * u_correctionRatio / u_sizeRatio;
  v_point = a_corner * ${reach};
  // The width of a pixel, so that outlines are smooth.
  v_soft = u_sizeRatio / a_size;
  gl_Position = vec4((u_matrix * vec3(a_position + v_point * radius, 1.0)).xy, 0.0, 1.0);
  #ifdef PICKING_MODE
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
  v_color.a *= 255.0 / 254.0;
}`

const fragmentShader = (distance: string) => `
precision highp float;
varying vec4 v_color;
varying vec2 v_point;
varying float v_soft;

float distanceOf(vec2 p) {${distance}}

void main() {
  float d = distanceOf(v_point);
  #ifdef PICKING_MODE
  // Small shapes must be easy to hit.
  gl_FragColor = d > 0.2 ? vec4(0.0) : v_color;
  #else
  gl_FragColor = v_color * (1.0 - smoothstep(-v_soft, 0.0, d));
  #endif
}`

const corners = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, -1],
  [1, 1],
  [-1, 1],
]
const uniforms = ['u_sizeRatio', 'u_correctionRatio', 'u_matrix'] as const
const { FLOAT, UNSIGNED_BYTE, TRIANGLES } = WebGLRenderingContext

function programOf(distance: string): NodeProgramType {
  return class extends NodeProgram<(typeof uniforms)[number]> {
    getDefinition() {
      return {
        VERTICES: corners.length,
        VERTEX_SHADER_SOURCE: vertexShader,
        FRAGMENT_SHADER_SOURCE: fragmentShader(distance),
        METHOD: TRIANGLES,
        UNIFORMS: uniforms,
        ATTRIBUTES: [
          { name: 'a_position', size: 2, type: FLOAT },
          { name: 'a_size', size: 1, type: FLOAT },
          { name: 'a_color', size: 4, type: UNSIGNED_BYTE, normalized: true },
          { name: 'a_id', size: 4, type: UNSIGNED_BYTE, normalized: true },
        ],
        CONSTANT_ATTRIBUTES: [{ name: 'a_corner', size: 2, type: FLOAT }],
        CONSTANT_DATA: corners,
      }
    }

    processVisibleItem(nodeIndex: number, start: number, { x, y, size, color }: NodeDisplayData): void {
      this.array.set([x, y, size, floatColor(color), nodeIndex], start)
    }

    setUniforms({ sizeRatio, correctionRatio, matrix }: RenderParams, { gl, uniformLocations }: ShapeInfo): void {
      gl.uniform1f(uniformLocations.u_sizeRatio ?? null, sizeRatio)
      gl.uniform1f(uniformLocations.u_correctionRatio ?? null, correctionRatio)
      gl.uniformMatrix3fv(uniformLocations.u_matrix ?? null, false, matrix)
    }
  }
}

type ShapeInfo = Parameters<NodeProgram['setUniforms']>[1]

/** For the setting `nodeProgramClasses`: a node's `type` is its shape. */
export const shapePrograms: Readonly<Record<Shape, NodeProgramType>> = {
  circle: programOf(distances.circle),
  square: programOf(distances.square),
  triangle: programOf(distances.triangle),
  diamond: programOf(distances.diamond),
  star: programOf(distances.star),
  cross: programOf(distances.cross),
}
