// SPDX-License-Identifier: BSD-2-Clause
//
// What the simulator in C++ sees: the Rocket system of the wheel with its debug and front-end ports
// tied off, and a few internal signals of the core brought out, by which the simulator watches
// which instruction retires in which privilege mode without the software's help.
module top (
  input         clock,
  input         reset,
  input  [7:0]  interrupts,

  input         mem_aw_ready, output mem_aw_valid, output [3:0] mem_aw_id,
  output [31:0] mem_aw_addr, output [7:0] mem_aw_len,
  input         mem_w_ready, output mem_w_valid, output [63:0] mem_w_data,
  output [7:0]  mem_w_strb, output mem_w_last,
  output        mem_b_ready, input mem_b_valid, input [3:0] mem_b_id, input [1:0] mem_b_resp,
  input         mem_ar_ready, output mem_ar_valid, output [3:0] mem_ar_id,
  output [31:0] mem_ar_addr, output [7:0] mem_ar_len,
  output        mem_r_ready, input mem_r_valid, input [3:0] mem_r_id, input [63:0] mem_r_data,
  input  [1:0]  mem_r_resp, input mem_r_last,

  input         mmio_aw_ready, output mmio_aw_valid, output [3:0] mmio_aw_id,
  output [31:0] mmio_aw_addr, output [7:0] mmio_aw_len,
  input         mmio_w_ready, output mmio_w_valid, output [63:0] mmio_w_data,
  output [7:0]  mmio_w_strb, output mmio_w_last,
  output        mmio_b_ready, input mmio_b_valid, input [3:0] mmio_b_id, input [1:0] mmio_b_resp,
  input         mmio_ar_ready, output mmio_ar_valid, output [3:0] mmio_ar_id,
  output [31:0] mmio_ar_addr, output [7:0] mmio_ar_len,
  output        mmio_r_ready, input mmio_r_valid, input [3:0] mmio_r_id, input [63:0] mmio_r_data,
  input  [1:0]  mmio_r_resp, input mmio_r_last,

  // An instruction has retired, or a trap was taken instead of it (trapped), in this clock.
  output        watch_valid,
  output        watch_trapped,
  output [39:0] watch_pc,
  output [1:0]  watch_privilege,
  output [63:0] watch_cause,
  // The machine timer interrupt's line at the core.
  output        watch_timer
);
  assign watch_valid = system.tile_prci_domain.tile_reset_domain_tile.core.csr_io_trace_0_valid;
  assign watch_trapped =
      system.tile_prci_domain.tile_reset_domain_tile.core.csr_io_trace_0_exception;
  assign watch_pc = system.tile_prci_domain.tile_reset_domain_tile.core.csr_io_trace_0_iaddr;
  assign watch_privilege =
      system.tile_prci_domain.tile_reset_domain_tile.core.csr.reg_mstatus_prv;
  assign watch_cause = system.tile_prci_domain.tile_reset_domain_tile.core.csr.cause;
  assign watch_timer =
      system.tile_prci_domain.tile_reset_domain_tile.core.csr.io_interrupts_mtip;
  assign mmio_aw_addr[31] = 1'b0;
  assign mmio_ar_addr[31] = 1'b0;

  ExampleRocketSystem system (
    .clock(clock),
    .reset(reset),
    .interrupts(interrupts),
    .resetctrl_hartIsInReset_0(reset),
    .debug_clock(clock),
    .debug_reset(reset),
    .debug_clockeddmi_dmiClock(clock),
    .debug_clockeddmi_dmiReset(reset),
    .debug_clockeddmi_dmi_req_valid(1'b0),
    .debug_clockeddmi_dmi_req_bits_addr(7'd0),
    .debug_clockeddmi_dmi_req_bits_data(32'd0),
    .debug_clockeddmi_dmi_req_bits_op(2'd0),
    .debug_clockeddmi_dmi_resp_ready(1'b1),
    .debug_dmactiveAck(1'b0),

    .mem_axi4_0_aw_ready(mem_aw_ready), .mem_axi4_0_aw_valid(mem_aw_valid),
    .mem_axi4_0_aw_bits_id(mem_aw_id), .mem_axi4_0_aw_bits_addr(mem_aw_addr),
    .mem_axi4_0_aw_bits_len(mem_aw_len),
    .mem_axi4_0_w_ready(mem_w_ready), .mem_axi4_0_w_valid(mem_w_valid),
    .mem_axi4_0_w_bits_data(mem_w_data), .mem_axi4_0_w_bits_strb(mem_w_strb),
    .mem_axi4_0_w_bits_last(mem_w_last),
    .mem_axi4_0_b_ready(mem_b_ready), .mem_axi4_0_b_valid(mem_b_valid),
    .mem_axi4_0_b_bits_id(mem_b_id), .mem_axi4_0_b_bits_resp(mem_b_resp),
    .mem_axi4_0_ar_ready(mem_ar_ready), .mem_axi4_0_ar_valid(mem_ar_valid),
    .mem_axi4_0_ar_bits_id(mem_ar_id), .mem_axi4_0_ar_bits_addr(mem_ar_addr),
    .mem_axi4_0_ar_bits_len(mem_ar_len),
    .mem_axi4_0_r_ready(mem_r_ready), .mem_axi4_0_r_valid(mem_r_valid),
    .mem_axi4_0_r_bits_id(mem_r_id), .mem_axi4_0_r_bits_data(mem_r_data),
    .mem_axi4_0_r_bits_resp(mem_r_resp), .mem_axi4_0_r_bits_last(mem_r_last),

    .mmio_axi4_0_aw_ready(mmio_aw_ready), .mmio_axi4_0_aw_valid(mmio_aw_valid),
    .mmio_axi4_0_aw_bits_id(mmio_aw_id), .mmio_axi4_0_aw_bits_addr(mmio_aw_addr[30:0]),
    .mmio_axi4_0_aw_bits_len(mmio_aw_len),
    .mmio_axi4_0_w_ready(mmio_w_ready), .mmio_axi4_0_w_valid(mmio_w_valid),
    .mmio_axi4_0_w_bits_data(mmio_w_data), .mmio_axi4_0_w_bits_strb(mmio_w_strb),
    .mmio_axi4_0_w_bits_last(mmio_w_last),
    .mmio_axi4_0_b_ready(mmio_b_ready), .mmio_axi4_0_b_valid(mmio_b_valid),
    .mmio_axi4_0_b_bits_id(mmio_b_id), .mmio_axi4_0_b_bits_resp(mmio_b_resp),
    .mmio_axi4_0_ar_ready(mmio_ar_ready), .mmio_axi4_0_ar_valid(mmio_ar_valid),
    .mmio_axi4_0_ar_bits_id(mmio_ar_id), .mmio_axi4_0_ar_bits_addr(mmio_ar_addr[30:0]),
    .mmio_axi4_0_ar_bits_len(mmio_ar_len),
    .mmio_axi4_0_r_ready(mmio_r_ready), .mmio_axi4_0_r_valid(mmio_r_valid),
    .mmio_axi4_0_r_bits_id(mmio_r_id), .mmio_axi4_0_r_bits_data(mmio_r_data),
    .mmio_axi4_0_r_bits_resp(mmio_r_resp), .mmio_axi4_0_r_bits_last(mmio_r_last),

    .l2_frontend_bus_axi4_0_aw_valid(1'b0), .l2_frontend_bus_axi4_0_aw_bits_id(8'd0),
    .l2_frontend_bus_axi4_0_aw_bits_addr(32'd0), .l2_frontend_bus_axi4_0_aw_bits_len(8'd0),
    .l2_frontend_bus_axi4_0_aw_bits_size(3'd0), .l2_frontend_bus_axi4_0_aw_bits_burst(2'd1),
    .l2_frontend_bus_axi4_0_aw_bits_lock(1'b0), .l2_frontend_bus_axi4_0_aw_bits_cache(4'd0),
    .l2_frontend_bus_axi4_0_aw_bits_prot(3'd0), .l2_frontend_bus_axi4_0_aw_bits_qos(4'd0),
    .l2_frontend_bus_axi4_0_w_valid(1'b0), .l2_frontend_bus_axi4_0_w_bits_data(64'd0),
    .l2_frontend_bus_axi4_0_w_bits_strb(8'd0), .l2_frontend_bus_axi4_0_w_bits_last(1'b0),
    .l2_frontend_bus_axi4_0_b_ready(1'b1),
    .l2_frontend_bus_axi4_0_ar_valid(1'b0), .l2_frontend_bus_axi4_0_ar_bits_id(8'd0),
    .l2_frontend_bus_axi4_0_ar_bits_addr(32'd0), .l2_frontend_bus_axi4_0_ar_bits_len(8'd0),
    .l2_frontend_bus_axi4_0_ar_bits_size(3'd0), .l2_frontend_bus_axi4_0_ar_bits_burst(2'd1),
    .l2_frontend_bus_axi4_0_ar_bits_lock(1'b0), .l2_frontend_bus_axi4_0_ar_bits_cache(4'd0),
    .l2_frontend_bus_axi4_0_ar_bits_prot(3'd0), .l2_frontend_bus_axi4_0_ar_bits_qos(4'd0),
    .l2_frontend_bus_axi4_0_r_ready(1'b1)
  );
endmodule
